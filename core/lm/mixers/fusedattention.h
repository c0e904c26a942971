// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Softmax attention by the library's fused kernels: the full score matrix is never in memory. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

struct FusedAttention {
    at::Tensor q;       ///< [B, H, R, P]
    at::Tensor k, v;    ///< [B, G, S, P]; head h reads head h / (H / G) of them
    at::Tensor visible; ///< bool [B or 1, R, S]: keys visible to each query; undefined: determined by `causal`
    bool causal = true; ///< query i sees the keys up to i; false: all keys
    double scale = 1.0;
};

/// Returns z, [B, H, R, P].
[[nodiscard]] at::Tensor fusedAttention(const FusedAttention& call);

} // namespace headscope::lm
