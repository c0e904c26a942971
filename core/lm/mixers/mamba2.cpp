// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mamba2.h"

#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/Parallel.h>

namespace headscope::lm {

void captureSsdMatrix(const SsdTerms& terms, const at::Tensor& gate, const MixerCall& call, Activation gateActivation)
{
    const SiteCapture& wanted = *call.capture;
    const bool apart = wanted.wantRows; // kept longer than this call
    captureMatrix(
        [own = apart ? matrixTerms(terms, wanted.heads) : terms, heads = apart ? std::vector<int>() : wanted.heads,
         as = wanted.convention](std::int64_t first, std::int64_t count) {
            return ssdMatrix(own, heads, first, count, as.withD, as.withDt);
        },
        gate, static_cast<int>(terms.x.size(2)), call, gateActivation);
}

ScanScores ssdScores(const SsdTerms& terms, int head, std::int64_t taps)
{
    const std::int64_t group = head / (terms.logDecay.size(2) / terms.b.size(2));
    return {.query = terms.c.select(2, group),
            .key = terms.b.select(2, group),
            .logDecay = terms.logDecay.narrow(2, head, 1),
            .weight = terms.weight.defined() ? terms.weight.select(2, head) : terms.weight,
            .taps = taps};
}

bool matrixIsEnough(const MixerCall& call, const Linear& input)
{
    return call.wantsMatrixOnly() && call.wantsMatrix() && !call.capture->convention.withGate && !call.state
           && !call.batch.tree && !call.otherInput.defined() && !packedIn(input.weight);
}

at::Tensor runSsd(const SsdTerms& terms, const at::Tensor& gate, int chunk, MixerCall& call, Activation gateActivation)
{
    at::Tensor state = call.state ? call.state->second : at::Tensor();
    at::Tensor y;
    if (call.wantsMatrixOnly())
        y = at::zeros_like(terms.x);
    else if (call.batch.tree)
        y = ssdAlongTree(terms, *call.batch.tree);
    else if (!call.state && onFloatKernels(terms.x, terms.b, terms.c, terms.logDecay, terms.weight, terms.d))
        y = ssdAlongTree(
            terms, DeviceTree(std::make_shared<const TokenTree>(terms.x.size(0), terms.x.size(1)), terms.x.device()));
    else
        y = ssdScan(terms, state, chunk);
    if (call.state)
        call.state->second = state;
    y = maskMatrix(y, terms.x, call,
                   {[&](int head, std::int64_t first, std::int64_t count) {
                        return ssdMatrix(terms, {head}, first, count, true, true).select(1, 0);
                    },
                    [&] { return ssdDiagonal(terms); }});
    if (call.wantsMatrix())
        captureSsdMatrix(terms, gate, call, gateActivation);
    captureValues(terms.x, y, call);
    return scaleBeforeNorm(y, call);
}

at::Tensor Mamba2::gateAndNorm(const at::Tensor& y, const at::Tensor& gate) const
{
    if (m_w.normWeight.defined() && !m_w.normBeforeGate && onFloatKernels(y, gate, m_w.normWeight) && y.is_contiguous()
        && gate.stride(-1) == 1 && gate.stride(0) == gate.size(1) * gate.stride(1)) {
        at::Tensor z = y.clone(); // what was captured stays as it is
        const std::int64_t width = z.size(-1), stride = gate.stride(1);
        at::parallel_for(0, z.numel() / width, 64, [&](std::int64_t first, std::int64_t last) {
            cpuKernels().gatedNorm(z.data_ptr<float>() + first * width, gate.data_ptr<float>() + first * stride, stride,
                                   m_w.normWeight.data_ptr<float>(), last - first, width, width / m_w.normGroups,
                                   static_cast<float>(m_w.normEps));
        });
        return z;
    }
    const at::Tensor silu = at::silu(gate.to(at::kFloat));
    at::Tensor g = y.to(at::kFloat);
    if (!m_w.normWeight.defined())
        return (g * silu).to(y.scalar_type());
    if (!m_w.normBeforeGate)
        g = g * silu;
    const std::int64_t width = g.size(-1);
    const at::Tensor grouped = g.view({g.size(0), g.size(1), m_w.normGroups, width / m_w.normGroups});
    const at::Tensor normed = (grouped * at::rsqrt(grouped.square().mean(-1, true) + m_w.normEps)).view(g.sizes());
    if (m_w.normBeforeGate)
        return ((normed * m_w.normWeight.to(at::kFloat)) * silu).to(y.scalar_type());
    return normed.to(y.scalar_type()) * m_w.normWeight;
}

// The terms of the matrix: B, C and dt from `columns` of the projection. x has no columns.
SsdTerms Mamba2::matrixTermsOf(const at::Tensor& input, const Linear& columns) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, groups = m_spec.kvHeads;
    const std::int64_t width = heads * m_spec.headDim, groupWidth = groups * m_spec.state;
    const at::Tensor part = scaled(columns(input), 2 * width);
    const at::Tensor mixed =
        m_w.conv.channels(width, 2 * groupWidth)(part.narrow(-1, 0, 2 * groupWidth), nullptr).to(at::kFloat);
    SsdTerms terms;
    terms.x = at::zeros({batch, length, heads, 0}, mixed.options());
    terms.b = mixed.narrow(-1, 0, groupWidth).reshape({batch, length, groups, m_spec.state});
    terms.c = mixed.narrow(-1, groupWidth, groupWidth).reshape({batch, length, groups, m_spec.state});
    setSteps(terms, part.narrow(-1, 2 * groupWidth, heads));
    terms.d = m_w.d.to(at::kFloat);
    return terms;
}

std::optional<ScanScores> Mamba2::scanScores(int head, const at::Tensor& input) const
{
    const std::int64_t width = std::int64_t{m_spec.heads} * m_spec.headDim,
                       groupWidth = std::int64_t{m_spec.kvHeads} * m_spec.state;
    return ssdScores(matrixTermsOf(input, m_w.input.floatOutputs(2 * width, 2 * groupWidth + m_spec.heads)), head,
                     m_w.conv.taps());
}

// Columns of the projection from `first` on, with their multipliers.
at::Tensor Mamba2::scaled(const at::Tensor& projected, std::int64_t first) const
{
    return m_w.inputScale.defined() ? projected * m_w.inputScale.narrow(0, first, projected.size(-1)) : projected;
}

// dt: [B, T, H], as it is projected.
void Mamba2::setSteps(SsdTerms& terms, const at::Tensor& dt) const
{
    terms.weight = at::softplus(dt.to(at::kFloat) + m_w.dtBias.to(at::kFloat));
    if (m_w.dtLow > 0 || std::isfinite(m_w.dtHigh))
        terms.weight = at::clamp(terms.weight, m_w.dtLow, m_w.dtHigh);
    terms.logDecay = terms.weight * -at::exp(m_w.aLog.to(at::kFloat));
}

at::Tensor Mamba2::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, groups = m_spec.kvHeads,
                       states = m_spec.state;
    const std::int64_t width = heads * m_spec.headDim, groupWidth = groups * states;

    if (matrixIsEnough(call, m_w.input)) {
        captureSsdMatrix(matrixTermsOf(input, m_w.input.outputs(2 * width, 2 * groupWidth + heads)), input, call);
        return at::zeros({batch, length, m_w.output.weight.size(0)}, input.options());
    }

    // 1. Projection and convolution.
    const auto project = [&](const at::Tensor& x) { return scaled(m_w.input(x), 0); };
    at::Tensor projected = project(input);
    if (call.otherInput.defined())
        projected =
            chosenColumns(projected, project(call.otherInput),
                          {{kGate, width}, {kValue, width}, {kKey, groupWidth}, {kQuery, groupWidth}, {kStep, heads}},
                          call.otherParts);
    const at::Tensor gate = projected.narrow(-1, 0, width);
    const at::Tensor mixed = m_w.conv(projected.narrow(-1, width, width + 2 * groupWidth),
                                      call.state ? &call.state->first : nullptr, call.batch.tree)
                                 .to(at::kFloat);

    // 2. The terms of the scan, fp32.
    SsdTerms terms;
    terms.x = mixed.narrow(-1, 0, width).reshape({batch, length, heads, m_spec.headDim});
    terms.b = mixed.narrow(-1, width, groupWidth).reshape({batch, length, groups, states});
    terms.c = mixed.narrow(-1, width + groupWidth, groupWidth).reshape({batch, length, groups, states});
    setSteps(terms, projected.narrow(-1, 2 * width + 2 * groupWidth, heads));
    terms.d = m_w.d.to(at::kFloat);

    // 3. Scan, gate, norm, heads.
    const at::Tensor y = runSsd(terms, gate, m_w.chunk, call).reshape({batch, length, width}).to(input.scalar_type());
    captureGain([&] { return gainOf(y, gate); }, call);
    return projectHeads(gateAndNorm(y, gate), m_spec.heads, m_w.output, call, rowsOnly);
}

// What gateAndNorm() multiplies each number of y by, [B, T, E].
at::Tensor Mamba2::gainOf(const at::Tensor& y, const at::Tensor& gate) const
{
    const at::Tensor silu = at::silu(gate.to(at::kFloat));
    if (!m_w.normWeight.defined())
        return silu;
    const at::Tensor g = m_w.normBeforeGate ? y.to(at::kFloat) : y.to(at::kFloat) * silu;
    const at::Tensor grouped = g.unflatten(-1, {m_w.normGroups, -1});
    const at::Tensor scale = at::rsqrt(grouped.square().mean(-1, true) + m_w.normEps).expand_as(grouped).flatten(-2);
    return scale * silu * m_w.normWeight.to(at::kFloat);
}

HeadMaps Mamba2::headMaps(int head) const
{
    const std::int64_t width = std::int64_t{m_spec.heads} * m_spec.headDim,
                       groupWidth = std::int64_t{m_spec.kvHeads} * m_spec.state;
    const std::int64_t group = head / (m_spec.heads / m_spec.kvHeads);
    const auto rows = [&](std::int64_t channel, std::int64_t count) { // channels of the convolution follow the gate's
        const at::Tensor weight =
            denseOf(m_w.input.weight).narrow(0, width + channel, count) * m_w.conv.ownTap(channel, count);
        return m_w.inputScale.defined() ? weight * m_w.inputScale.narrow(0, width + channel, count).unsqueeze(-1)
                                        : weight;
    };
    HeadMaps maps;
    maps.value = rows(std::int64_t{head} * m_spec.headDim, m_spec.headDim);
    maps.key = rows(width + group * m_spec.state, m_spec.state);
    maps.query = rows(width + groupWidth + group * m_spec.state, m_spec.state);
    maps.output = inputsOf(m_w.output.weight, std::int64_t{head} * m_spec.headDim, m_spec.headDim);
    return maps;
}

} // namespace headscope::lm
