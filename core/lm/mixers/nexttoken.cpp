// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/nexttoken.h"

#include "core/lm/kernels/cpukernels.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace headscope::lm {

at::Tensor appended(const at::Tensor& kept, const at::Tensor& x)
{
    constexpr std::int64_t kRoom = 64;
    const std::int64_t before = kept.defined() ? kept.size(2) : 0, length = before + x.size(2);
    at::Tensor whole;
    if (kept.defined() && length * kept.size(3) <= kept.stride(1)) {
        whole = kept.as_strided({kept.size(0), kept.size(1), length, kept.size(3)}, kept.strides());
    } else {
        whole = at::empty({x.size(0), x.size(1), length + kRoom, x.size(3)}, x.options()).narrow(2, 0, length);
        if (before > 0)
            whole.narrow(2, 0, before).copy_(kept);
    }
    whole.narrow(2, before, x.size(2)).copy_(x);
    return whole;
}

at::Tensor attendNext(const NextToken& call)
{
    const std::int64_t batch = call.q.size(0), heads = call.q.size(1), width = call.q.size(3);
    const std::int64_t kvHeads = call.k.size(1), keys = call.k.size(2);
    TORCH_INTERNAL_ASSERT(call.k.stride(2) == width && call.v.stride(2) == width && call.v.size(3) == width);
    const at::Tensor q = call.q.contiguous();
    at::Tensor z = at::empty({batch, 1, heads * width}, q.options());
    NextRow row;
    row.kStride = call.k.stride(1);
    row.vStride = call.v.stride(1);
    row.heads = heads;
    row.kvHeads = kvHeads;
    row.headDim = width;
    row.keys = keys;
    row.scale = static_cast<float>(call.scale);
    row.softCap = static_cast<float>(call.softCap);
    row.window = call.window;
    constexpr std::int64_t kWorthAThread = 1 << 15; // numbers that are multiplied
    const std::int64_t grain =
        std::max<std::int64_t>(1, kWorthAThread / std::max<std::int64_t>(1, keys * width * heads / kvHeads));
    const float* const queries = q.data_ptr<float>();
    const float* const k = call.k.data_ptr<float>();
    const float* const v = call.v.data_ptr<float>();
    float* const out = z.data_ptr<float>();
    at::parallel_for(0, batch * kvHeads, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t text = i / kvHeads, head = i % kvHeads;
            NextRow own = row;
            own.q = queries + text * heads * width;
            own.k = k + text * call.k.stride(0);
            own.v = v + text * call.v.stride(0);
            own.z = out + text * heads * width;
            cpuKernels().attentionOfNext(own, head, head + 1);
        }
    });
    return z;
}

} // namespace headscope::lm
