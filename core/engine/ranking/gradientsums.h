// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gradients of examples added up head by head, and what they say so far. Worker thread.

#include "core/engine/ranking/rank.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>

namespace headscope::engine {

/// [E, heads] on the host, as bytes.
[[nodiscard]] std::string packGradients(const at::Tensor& gradients);
/// Fails for bytes of another number of heads.
[[nodiscard]] Result<at::Tensor> unpackGradients(const std::string& bytes, std::int64_t heads);

class GradientSums
{
public:
    explicit GradientSums(std::int64_t heads);

    /// `gradients`: [E, heads] on the host. An example whose numbers broke is left out.
    void add(const at::Tensor& gradients);
    [[nodiscard]] std::int64_t examples() const { return m_n; }
    [[nodiscard]] std::int64_t heads() const { return m_squares.numel(); }
    /// With the ranking of as many other examples, from the rank correlation r of two halves of these: 2 r / (1 + r).
    [[nodiscard]] std::optional<double> agreement() const;
    /// The largest loss first; of at least one example.
    [[nodiscard]] std::vector<RankedHead> ranked(const lm::ModelSpec& spec) const;

private:
    std::array<at::Tensor, 2> m_halves; ///< [heads] each: sums of every second example
    at::Tensor m_squares;               ///< [heads]
    std::int64_t m_n = 0;
};

} // namespace headscope::engine
