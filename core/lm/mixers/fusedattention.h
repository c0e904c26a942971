// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Softmax attention by the library's fused kernels: the scores are never in memory as a whole. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

struct FusedAttention {
    at::Tensor q;       ///< [B, H, R, P]
    at::Tensor k, v;    ///< [B, G, S, P]; head h reads head h / (H / G) of them
    at::Tensor visible; ///< bool [B or 1, R, S]: the keys that each query sees; undefined: as `causal` says
    bool causal = true; ///< query i sees the keys up to i; else all
    double scale = 1.0;
};

/// [B, H, R, P]
[[nodiscard]] at::Tensor fusedAttention(const FusedAttention& call);

} // namespace headscope::lm
