// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mamba-1's recurrence with a backward pass that stores states only between blocks of positions. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// Runs selectiveScan() on CPU tensors, differentiable once in all its arguments; `state` becomes the state after the
/// last position, with its gradient. The backward pass recomputes a block's states from the one before it: with g_t =
/// C_t dy_t + exp(dt_{t+1} A) g_{t+1}, the gradient of S_t, all others are products with g.
[[nodiscard]] at::Tensor scanWithGradient(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a,
                                          const at::Tensor& b, const at::Tensor& c, at::Tensor& state);

} // namespace headscope::lm
