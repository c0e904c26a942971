// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a layer does to one token of one text, in plain memory. Reading the weights is most of what the next token
// takes, and calling the tensor library for each operation takes as long again. Worker thread.

#include "core/lm/ops.h"

namespace headscope::lm {

/// Operations on rows in fp32. For bf16 models, each rounds its result to bf16, as tensor operations do.
class RowOperations
{
public:
    explicit RowOperations(at::ScalarType type) : m_bfloat(type == at::kBFloat16) {}

    /// Whether the stream is a single row that these can take on, and no gradient is asked for.
    [[nodiscard]] static bool take(const at::Tensor& stream);
    [[nodiscard]] bool take(const Linear& map) const;
    [[nodiscard]] bool take(const Mlp& mlp) const;

    void read(const at::Tensor& from, float* to) const; ///< a tensor of the model's type
    void write(const float* from, std::int64_t count, void* to) const;

    void apply(const Linear& map, const float* x, float* out) const;
    /// `rows` rows of `width`; `out` may be x.
    void apply(const Norm& norm, const float* x, float* out, std::int64_t rows, std::int64_t width) const;
    void apply(const Mlp& mlp, const float* x, float* out) const;
    void add(const float* x, float* to, std::int64_t count) const;
    void multiply(float* x, const float* factors, std::int64_t count) const;
    void multiply(float* x, double factor, std::int64_t count) const;
    void round(float* x, std::int64_t count) const; ///< nothing in fp32

    [[nodiscard]] bool bfloat() const { return m_bfloat; }
    [[nodiscard]] at::ScalarType type() const { return m_bfloat ? at::kBFloat16 : at::kFloat; }

private:
    [[nodiscard]] at::Tensor asTensor(const float* x, std::int64_t rows, std::int64_t width) const;
    bool m_bfloat;
};

} // namespace headscope::lm
