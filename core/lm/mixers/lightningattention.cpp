// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/lightningattention.h"

#include "core/lm/mixers/mamba2.h"
#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

at::Tensor LightningAttention::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, dim = m_spec.headDim;
    const auto projected = [&](const at::Tensor& x) {
        return activate(m_w.activation, m_w.queryKeyValue(x)).view({batch, length, heads, 3 * dim});
    };
    at::Tensor parts = projected(input);
    if (call.otherInput.defined())
        parts = chosenColumns(parts, projected(call.otherInput), {{kQuery, dim}, {kKey, dim}, {kValue, dim}},
                              call.otherParts);
    parts = parts.to(at::kFloat);
    SsdTerms terms;
    terms.c = parts.narrow(-1, 0, dim).contiguous();
    terms.b = parts.narrow(-1, dim, dim).contiguous();
    terms.x = parts.narrow(-1, 2 * dim, dim).contiguous();
    terms.logDecay = (-m_w.slopes).view({1, 1, heads}).expand({batch, length, heads}).contiguous();
    terms.d = at::zeros({heads}, parts.options());

    const at::Tensor gate = m_w.gate(call.inputOf(kGate, input));
    const at::Tensor y =
        runSsd(terms, gate, m_w.chunk, call, Activation::Sigmoid).reshape({batch, length, heads * dim});
    const at::Tensor open = at::sigmoid(gate);
    captureGain(
        [&] {
            const at::Tensor scale = at::rsqrt(y.square().mean(-1, true) + m_w.norm.eps);
            return scale * m_w.norm.weight.to(at::kFloat) * open.to(at::kFloat);
        },
        call);
    return projectHeads(open * m_w.norm(y.to(input.scalar_type())), m_spec.heads, m_w.output, call, rowsOnly);
}

std::optional<ScanScores> LightningAttention::scanScores(int head, const at::Tensor& input) const
{
    const std::int64_t dim = m_spec.headDim;
    const at::Tensor both = activate(m_w.activation, m_w.queryKeyValue.floatOutputs(head * 3 * dim, 2 * dim)(input));
    return ScanScores{.query = both.narrow(-1, 0, dim),
                      .key = both.narrow(-1, dim, dim),
                      .logDecay = (-m_w.slopes)[head].expand({input.size(0), input.size(1), 1}),
                      .weight = {}};
}

HeadMaps LightningAttention::headMaps(int head) const
{
    const std::int64_t dim = m_spec.headDim;
    const at::Tensor rows = denseOf(m_w.queryKeyValue.weight).narrow(0, head * 3 * dim, 3 * dim);
    HeadMaps maps;
    maps.query = rows.narrow(0, 0, dim);
    maps.key = rows.narrow(0, dim, dim);
    maps.value = rows.narrow(0, 2 * dim, dim);
    maps.output = inputsOf(m_w.output.weight, head * dim, dim);
    maps.normed = true; // an activation stands behind them
    return maps;
}

} // namespace headscope::lm
