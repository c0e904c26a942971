// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Maps a direction at the output of a linear map or norm to its input: output along `direction` equals input along
// `along.direction` plus a constant. Norms keep the scale they have for a given input. Worker thread.

#include "core/lm/ops.h"

namespace headscope::lm {

struct Along {
    at::Tensor direction; ///< [B, in]
    at::Tensor constant;  ///< [B]
};

/// Pulls `direction` [B, out], fp32, back through a linear map.
[[nodiscard]] Along alongLinear(const Linear& map, const at::Tensor& direction);
/// Pulls `direction` back through a norm that read x [B, D]; a LayerNorm's centring becomes part of the direction.
[[nodiscard]] Along alongNorm(const Norm& norm, const at::Tensor& x, const at::Tensor& direction);

} // namespace headscope::lm
