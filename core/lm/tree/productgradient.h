// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gradients through products with weights that are not trained. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// Returns x weight^T with a gradient for x alone, which is the same kind of product with the weight transposed. A
/// packed weight is unpacked for the product and again in the backward pass, so that no full weight stays in memory.
[[nodiscard]] at::Tensor productWithGradient(const at::Tensor& x, const at::Tensor& weight);

} // namespace headscope::lm
