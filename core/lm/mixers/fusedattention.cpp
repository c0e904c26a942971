// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/fusedattention.h"

namespace headscope::lm {

at::Tensor fusedAttention(const FusedAttention& call)
{
    const std::int64_t group = call.q.size(1) / call.k.size(1);
    const bool masked = call.visible.defined();
    // The kernels that take a mask do not know keys that several heads share.
    const auto own = [&](const at::Tensor& x) { return masked && group > 1 ? x.repeat_interleave(group, 1) : x; };
    return at::scaled_dot_product_attention(call.q, own(call.k), own(call.v),
                                            masked ? std::optional(call.visible.unsqueeze(1)) : std::nullopt, 0.0,
                                            call.causal && !masked, call.scale, !masked && group > 1);
}

} // namespace headscope::lm
