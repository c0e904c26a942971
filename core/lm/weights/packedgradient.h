// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gradients through quantized weights. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// Returns x weight^T for a packed weight, with a gradient for x: the weight is unpacked for the product and again in
/// the backward pass, so that no full weight stays in memory.
[[nodiscard]] at::Tensor packedProductWithGradient(const at::Tensor& x, const at::Tensor& weight);

} // namespace headscope::lm
