// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sums of per-head gradients over examples, and the ranking they imply so far. Worker thread.

#include "core/engine/ranking/rank.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>

namespace headscope::engine {

/// Packs [E, heads] on the host into bytes.
[[nodiscard]] std::string packGradients(const at::Tensor& gradients);
/// Restores gradients. Fails for bytes of another number of heads.
[[nodiscard]] Result<at::Tensor> unpackGradients(const std::string& bytes, std::int64_t heads);

class GradientSums
{
public:
    explicit GradientSums(std::int64_t heads);

    /// Adds gradients [E, heads] on the host. Examples with non-finite numbers are omitted.
    void add(const at::Tensor& gradients);
    [[nodiscard]] std::int64_t examples() const { return m_n; }
    [[nodiscard]] std::int64_t heads() const { return m_squares.numel(); }
    /// Returns the expected agreement with as many other examples, from the correlation r of two halves: 2 r / (1 + r).
    [[nodiscard]] std::optional<double> agreement() const;
    /// Returns the heads, the largest loss first; needs at least one example.
    [[nodiscard]] std::vector<RankedHead> ranked(const lm::ModelSpec& spec) const;

private:
    std::array<at::Tensor, 2> m_halves; ///< [heads] each: sums of every second example
    at::Tensor m_squares;               ///< [heads]
    std::int64_t m_n = 0;
};

} // namespace headscope::engine
