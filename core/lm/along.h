// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Directions of the stream seen from before a map: what comes out along `direction` is what goes in along
// `along.direction`, plus a constant. Norms are held at the scale that they have for a given input. Worker thread.

#include "core/lm/ops.h"

namespace headscope::lm {

struct Along {
    at::Tensor direction; ///< [B, in]
    at::Tensor constant;  ///< [B]
};

/// direction: [B, out], fp32.
[[nodiscard]] Along alongLinear(const Linear& map, const at::Tensor& direction);
/// x: [B, D], what the norm read. For a LayerNorm its centring is part of the direction.
[[nodiscard]] Along alongNorm(const Norm& norm, const at::Tensor& x, const at::Tensor& direction);

} // namespace headscope::lm
