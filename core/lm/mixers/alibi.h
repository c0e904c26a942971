// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention with linear biases: positions enter through the scores. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// ALiBi (Press et al. 2022, arXiv 2108.12409): each head adds its slope times a key's position to that key's score.
struct Alibi {
    at::Tensor slopes;  ///< [H]; undefined: none. The products are rounded to this dtype
    double scale = 1.0; ///< multiplies the products

    [[nodiscard]] bool defined() const { return slopes.defined(); }
    /// Returns the term added to scaled scores, fp32 [B or 1, H, 1, S]. positions of keys: int64 [B or 1, S].
    [[nodiscard]] at::Tensor bias(const at::Tensor& positions) const;
};

/// Returns the paper's slopes: those of the next lower power of two, then every other one of the next higher. fp32 [H].
[[nodiscard]] at::Tensor alibiSlopes(int heads);

} // namespace headscope::lm
