// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/shortconvolution.h"

#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

// [B, count, T]: rows of one channel's matrix. b, c: fp32 [B, T, D].
at::Tensor ShortConvolution::rows(const at::Tensor& b, const at::Tensor& c, int head, std::int64_t first,
                                  std::int64_t count) const
{
    const std::int64_t length = b.size(1), taps = m_w.conv.weight.size(2);
    const auto longs = b.options().dtype(at::kLong);
    const at::Tensor gap = at::arange(first, first + count, longs).unsqueeze(1) - at::arange(length, longs);
    const at::Tensor weight = m_w.conv.weight.select(0, head).select(0, 0).to(at::kFloat).flip(0); // by distance
    const at::Tensor near = (gap >= 0).logical_and(gap < taps);
    const at::Tensor tap = weight.index({gap.clamp(0, taps - 1)}).masked_fill(near.logical_not(), 0); // [count, T]
    return c.select(2, head).narrow(1, first, count).unsqueeze(2) * tap * b.select(2, head).unsqueeze(1);
}

at::Tensor ShortConvolution::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    // 1. Both gates and x; the convolution runs over what passed the first gate.
    const std::int64_t width = m_spec.heads;
    at::Tensor projected = m_w.input(input);
    if (call.otherInput.defined())
        projected = chosenColumns(projected, m_w.input(call.otherInput),
                                  {{kKey, width}, {kQuery, width}, {kValue, width}}, call.otherParts);
    const at::Tensor opened = projected.narrow(-1, 0, width), query = projected.narrow(-1, width, width),
                     x = projected.narrow(-1, 2 * width, width);
    const CausalConv plain{m_w.conv.weight, {}, m_w.conv.activation};
    const at::Tensor mixed = plain(opened * x, call.state ? &call.state->first : nullptr, call.batch.tree); // [B, T, D]
    const at::Tensor b = opened.to(at::kFloat), c = query.to(at::kFloat);

    // 2. Masks and capture: a channel is a head of width 1.
    const at::Tensor values = x.to(at::kFloat).unsqueeze(-1);
    const at::Tensor y =
        maskMatrix((query * mixed).to(at::kFloat).unsqueeze(-1), values, call,
                   {[&](int head, std::int64_t first, std::int64_t count) { return rows(b, c, head, first, count); },
                    [&] { return c * b * m_w.conv.ownTap(0, width).squeeze(1).to(at::kFloat); }});
    if (call.wantsMatrix())
        captureMatrix(
            [this, b, c, chosen = call.capture->heads](std::int64_t first, std::int64_t count) {
                std::vector<at::Tensor> matrices;
                for (int i = 0; i < (chosen.empty() ? m_spec.heads : static_cast<int>(chosen.size())); ++i)
                    matrices.push_back(
                        rows(b, c, chosen.empty() ? i : chosen[static_cast<std::size_t>(i)], first, count));
                return at::stack(matrices, 1);
            },
            at::ones_like(b), m_spec.heads, call, Activation::Identity); // C is in it
    captureValues(values, y, call);

    // 3. Bias, output.
    at::Tensor z = y.squeeze(-1).to(input.scalar_type());
    if (m_w.conv.bias.defined())
        z = z + query * m_w.conv.bias;
    return projectHeads(z, m_spec.heads, m_w.output, call, rowsOnly);
}

HeadMaps ShortConvolution::headMaps(int head) const
{
    const std::int64_t width = m_spec.heads;
    HeadMaps maps;
    const at::Tensor input = denseOf(m_w.input.weight);
    maps.key = input.narrow(0, head, 1);
    maps.query = input.narrow(0, width + head, 1);
    maps.value = input.narrow(0, 2 * width + head, 1) * m_w.conv.ownTap(head, 1);
    maps.output = inputsOf(m_w.output.weight, head, 1);
    return maps;
}

} // namespace headscope::lm
