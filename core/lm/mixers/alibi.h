// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention with linear biases: positions as a part of the scores. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// ALiBi (Press et al. 2022, arXiv 2108.12409): each head adds its slope times the place of a key to that key's score.
struct Alibi {
    at::Tensor slopes;  ///< [H]; undefined: none. Products have its type, in which they are rounded
    double scale = 1.0; ///< of the products

    [[nodiscard]] bool defined() const { return slopes.defined(); }
    /// What is added to scaled scores. positions of keys: int64 [B or 1, S]; returns fp32 [B or 1, H, 1, S].
    [[nodiscard]] at::Tensor bias(const at::Tensor& positions) const;
};

/// The paper's slopes: those of the next lower power of two, then every other one of the next higher. fp32 [H].
[[nodiscard]] at::Tensor alibiSlopes(int heads);

} // namespace headscope::lm
