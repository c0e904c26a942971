// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What attention does for each further token of texts whose keys and values are kept. Worker thread.

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// What is kept so far, [B, G, T, P] (undefined: nothing), with x [B, G, t, P] behind it, in memory that has room for
/// some more.
[[nodiscard]] at::Tensor appended(const at::Tensor& kept, const at::Tensor& x);

/// The last token's attention over all that is kept, itself included: the processor's own loop.
struct NextToken {
    at::Tensor q;    ///< fp32 [B, H, 1, P], H a multiple of G
    at::Tensor k, v; ///< fp32 [B, G, T, P] from appended()
    double scale = 1.0;
    double softCap = 0.0; ///< 0: none
    int window = 0;       ///< 0: none
};

/// z: [B, 1, H*P].
[[nodiscard]] at::Tensor attendNext(const NextToken& call);

} // namespace headscope::lm
