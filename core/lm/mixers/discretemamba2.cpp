// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/discretemamba2.h"

#include "core/lm/mixers/mamba2.h"
#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

at::Tensor DiscreteMamba2::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, groups = m_spec.kvHeads,
                       states = m_spec.state;
    const std::int64_t width = heads * m_spec.headDim, groupWidth = groups * states;
    if (matrixIsEnough(call, m_w.input)) {
        captureSsdMatrix(matrixTermsOf(input, m_w.input.outputs(width, 2 * groupWidth),
                                       m_w.input.outputs(2 * width + 2 * groupWidth, heads)),
                         input, call);
        return at::zeros({batch, length, m_w.output.weight.size(0)}, input.options());
    }
    at::Tensor projected = m_w.input(input);
    if (call.otherInput.defined())
        projected =
            chosenColumns(projected, m_w.input(call.otherInput),
                          {{kValue, width}, {kKey, groupWidth}, {kQuery, groupWidth}, {kGate, width}, {kStep, heads}},
                          call.otherParts);
    const at::Tensor mixed = m_w.conv(projected.narrow(-1, 0, width + 2 * groupWidth),
                                      call.state ? &call.state->first : nullptr, call.batch.tree)
                                 .to(at::kFloat);
    at::Tensor gate = projected.narrow(-1, width + 2 * groupWidth, width);
    if (m_w.zBias.defined())
        gate = gate + m_w.zBias;

    SsdTerms terms;
    terms.x = mixed.narrow(-1, 0, width).reshape({batch, length, heads, m_spec.headDim});
    terms.b = mixed.narrow(-1, width, groupWidth).reshape({batch, length, groups, states});
    terms.c = mixed.narrow(-1, width + groupWidth, groupWidth).reshape({batch, length, groups, states});
    terms.logDecay = -at::softplus(projected.narrow(-1, 2 * width + 2 * groupWidth, heads).to(at::kFloat));
    terms.d = m_w.d.to(at::kFloat);
    const at::Tensor y = runSsd(terms, gate, m_w.chunk, call).reshape({batch, length, width}).to(input.scalar_type());
    captureGain([&] { return at::silu(gate).to(at::kFloat); }, call);
    return projectHeads(y * at::silu(gate), m_spec.heads, m_w.output, call, rowsOnly);
}

// The terms of the matrix: B and C from `columns` of the projection, and the decays. x has no columns.
SsdTerms DiscreteMamba2::matrixTermsOf(const at::Tensor& input, const Linear& columns, const Linear& steps) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, groups = m_spec.kvHeads;
    const std::int64_t width = heads * m_spec.headDim, groupWidth = groups * m_spec.state;
    const at::Tensor mixed = m_w.conv.channels(width, 2 * groupWidth)(columns(input), nullptr).to(at::kFloat);
    SsdTerms terms;
    terms.x = at::zeros({batch, length, heads, 0}, mixed.options());
    terms.b = mixed.narrow(-1, 0, groupWidth).reshape({batch, length, groups, m_spec.state});
    terms.c = mixed.narrow(-1, groupWidth, groupWidth).reshape({batch, length, groups, m_spec.state});
    terms.logDecay = -at::softplus(steps(input).to(at::kFloat));
    terms.d = m_w.d.to(at::kFloat);
    return terms;
}

std::optional<ScanScores> DiscreteMamba2::scanScores(int head, const at::Tensor& input) const
{
    const std::int64_t width = std::int64_t{m_spec.heads} * m_spec.headDim,
                       groupWidth = std::int64_t{m_spec.kvHeads} * m_spec.state;
    return ssdScores(matrixTermsOf(input, m_w.input.floatOutputs(width, 2 * groupWidth),
                                   m_w.input.floatOutputs(2 * width + 2 * groupWidth, m_spec.heads)),
                     head, m_w.conv.taps());
}

HeadMaps DiscreteMamba2::headMaps(int head) const
{
    const std::int64_t width = std::int64_t{m_spec.heads} * m_spec.headDim,
                       groupWidth = std::int64_t{m_spec.kvHeads} * m_spec.state;
    const std::int64_t group = head / (m_spec.heads / m_spec.kvHeads);
    const auto rows = [&](std::int64_t channel, std::int64_t count) {
        return denseOf(m_w.input.weight).narrow(0, channel, count) * m_w.conv.ownTap(channel, count);
    };
    HeadMaps maps;
    maps.value = rows(std::int64_t{head} * m_spec.headDim, m_spec.headDim);
    maps.key = rows(width + group * m_spec.state, m_spec.state);
    maps.query = rows(width + groupWidth + group * m_spec.state, m_spec.state);
    maps.output = inputsOf(m_w.output.weight, std::int64_t{head} * m_spec.headDim, m_spec.headDim);
    return maps;
}

} // namespace headscope::lm
