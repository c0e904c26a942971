// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mamba-1's recurrence over the positions of a prompt (arXiv 2312.00752). Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// y_t[c] = sum over n of C_t[n] S_t[c, n], S_t = exp(dt_t[c] A[c, n]) S_{t-1} + dt_t[c] B_t[n] x_t[c], without D.
/// x, dt: fp32 [B, T, E]; a: [E, N], < 0; b, c: [B, T, N]. `state` [B, E, N] as in ssdScan. A loop over positions on
/// the CPU, with its own backward pass (scangradient.h); Headscope's kernel on CUDA if it is installed and no gradient
/// is needed, otherwise a blocked scan by doubling; all agree up to rounding.
[[nodiscard]] at::Tensor selectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a,
                                       const at::Tensor& b, const at::Tensor& c, at::Tensor& state);

/// Runs the same on any device, with everything that autograd stores: about twelve times [B, T, E, N] if a gradient is
/// needed.
[[nodiscard]] at::Tensor scanByDoubling(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a,
                                        const at::Tensor& b, const at::Tensor& c, at::Tensor& state);

} // namespace headscope::lm
