// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gradients through quantized weights. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// x weight^T of a packed weight, with a gradient for x: the weight is unpacked for the product and again on the way
/// back, so that no layer's full weight waits in memory.
[[nodiscard]] at::Tensor packedProductWithGradient(const at::Tensor& x, const at::Tensor& weight);

} // namespace headscope::lm
