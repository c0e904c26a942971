// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/nexttoken.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>

namespace headscope::lm {

namespace {

// Texts beside each other, and how far the keys and values of one lie from those of the next.
struct Texts {
    std::int64_t count = 1, kStride = 0, vStride = 0;
};

void attendTexts(const NextRow& row, const Texts& texts)
{
    constexpr std::int64_t kWorthAThread = 1 << 15; // numbers that are multiplied
    const std::int64_t products = row.keys * row.headDim * row.heads / row.kvHeads;
    const std::int64_t grain = std::max<std::int64_t>(1, kWorthAThread / std::max<std::int64_t>(1, products));
    const auto bytes = static_cast<std::int64_t>(row.bfloat ? sizeof(std::uint16_t) : sizeof(float));
    at::parallel_for(0, texts.count * row.kvHeads, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t text = i / row.kvHeads, head = i % row.kvHeads;
            NextRow own = row;
            own.q += text * row.heads * row.headDim;
            own.k = static_cast<const std::byte*>(row.k) + text * texts.kStride * bytes;
            own.v = static_cast<const std::byte*>(row.v) + text * texts.vStride * bytes;
            own.z += text * row.heads * row.headDim;
            cpuKernels().attentionOfNext(own, head, head + 1);
        }
    });
}

} // namespace

at::Tensor lengthened(const at::Tensor& kept, at::IntArrayRef more, const at::TensorOptions& options)
{
    constexpr std::int64_t kRoom = 64;
    const std::int64_t before = kept.defined() ? kept.size(2) : 0, length = before + more[2];
    if (kept.defined() && length * more[3] <= kept.stride(1))
        return kept.as_strided({more[0], more[1], length, more[3]}, kept.strides());
    const at::Tensor whole = at::empty({more[0], more[1], length + kRoom, more[3]}, options).narrow(2, 0, length);
    if (before > 0)
        whole.narrow(2, 0, before).copy_(kept);
    return whole;
}

at::Tensor appended(const at::Tensor& kept, const at::Tensor& x)
{
    const at::Tensor whole = lengthened(kept, x.sizes(), x.options());
    whole.narrow(2, whole.size(2) - x.size(2), x.size(2)).copy_(x);
    return whole;
}

at::Tensor attendNext(const NextToken& call)
{
    const std::int64_t batch = call.q.size(0), heads = call.q.size(1), width = call.q.size(3);
    TORCH_INTERNAL_ASSERT(call.k.stride(2) == width && call.v.stride(2) == width && call.v.size(3) == width);
    const at::Tensor q = call.q.contiguous();
    at::Tensor z = at::empty({batch, 1, heads * width}, q.options());
    NextRow row;
    row.q = q.data_ptr<float>();
    row.k = call.k.data_ptr<float>();
    row.v = call.v.data_ptr<float>();
    row.z = z.data_ptr<float>();
    row.kStride = call.k.stride(1);
    row.vStride = call.v.stride(1);
    row.heads = heads;
    row.kvHeads = call.k.size(1);
    row.headDim = width;
    row.keys = call.k.size(2);
    row.scale = static_cast<float>(call.scale);
    row.softCap = static_cast<float>(call.softCap);
    row.window = call.window;
    attendTexts(row, {batch, call.k.stride(0), call.v.stride(0)});
    return z;
}

void attendNext(const NextRow& row)
{
    attendTexts(row, {});
}

} // namespace headscope::lm
