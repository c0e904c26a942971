// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention for each further token of prompts whose keys and values are cached. Worker thread.

#include "core/lm/kernels/cpukernels.h"

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// Returns the cache [B, G, T, P] (undefined: empty) extended by `more` [B, G, t, P] tokens, whose memory is not
/// written yet, with spare capacity for later ones.
[[nodiscard]] at::Tensor lengthened(const at::Tensor& kept, at::IntArrayRef more, const at::TensorOptions& options);

/// Returns the cache with x [B, G, t, P] appended.
[[nodiscard]] at::Tensor appended(const at::Tensor& kept, const at::Tensor& x);

/// The last token's attention over everything cached, itself included, by a CPU loop.
struct NextToken {
    at::Tensor q;    ///< fp32 [B, H, 1, P], H a multiple of G
    at::Tensor k, v; ///< fp32 [B, G, T, P] from appended()
    double scale = 1.0;
    double softCap = 0.0; ///< 0: none
    int window = 0;       ///< 0: none
};

/// Returns z, [B, 1, H*P].
[[nodiscard]] at::Tensor attendNext(const NextToken& call);

/// The same for one text, in plain memory.
void attendNext(const NextRow& row);

} // namespace headscope::lm
