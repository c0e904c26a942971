// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/gatedrecurrence.h"

#include "core/lm/mixers/mamba2.h"
#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

namespace {

constexpr double kDecayFactor = 8.0;
constexpr int kChunk = 64;

// The sigmoid of x [B, T, W] through a map of blocks.
at::Tensor blockGate(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    const at::Tensor blocks = x.unflatten(-1, {weight.size(0), -1}); // [B, T, n, W/n]
    return at::sigmoid(at::matmul(blocks.unsqueeze(-2), weight).squeeze(-2) + bias).flatten(-2);
}

// bool [1, T or N, 1]: the tokens that nothing is before.
at::Tensor firstTokens(const at::Tensor& x, const MixerCall& call)
{
    const auto longs = x.options().dtype(at::kLong);
    const at::Tensor positions = call.batch.tree ? call.batch.tree->positions()
                                                 : at::arange(call.batch.offset, call.batch.offset + x.size(1), longs);
    return (positions == 0).view({1, -1, 1});
}

} // namespace

at::Tensor GatedRecurrence::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    // 1. Projections and convolution; both gates of the recurrence read what comes out of it.
    const at::Tensor gate = m_w.gate(call.inputOf(kGate, input));
    const auto convolved = [&](const at::Tensor& of) {
        return m_w.conv(m_w.input(of), call.state ? &call.state->first : nullptr, call.batch.tree);
    };
    const at::Tensor own = convolved(input);
    const at::Tensor other = call.otherInput.defined() ? convolved(call.otherInput) : own;
    const auto of = [&](InputPart part) { return ((call.otherParts & part) != 0 ? other : own).to(at::kFloat); };
    const auto gated = [](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
        return blockGate(x, weight.to(at::kFloat), bias.to(at::kFloat));
    };

    // 2. The terms of the scan: each channel with a state of one number.
    const std::int64_t batch = input.size(0), length = input.size(1);
    SsdTerms terms;
    terms.x = of(kValue).unsqueeze(-1);
    terms.b = terms.c = at::ones({batch, length, 1, 1}, terms.x.options());
    terms.logDecay = gated(of(kStep), m_w.recurrentWeight, m_w.recurrentBias)
                     * (-kDecayFactor * at::softplus(m_w.recurrence.to(at::kFloat)));
    const at::Tensor share = at::sqrt(1 - at::exp(2 * terms.logDecay)).masked_fill(firstTokens(own, call), 1.0);
    terms.weight = share * gated(of(kKey), m_w.inputWeight, m_w.inputBias);
    terms.d = at::zeros({m_spec.heads}, terms.x.options());

    // 3. Scan, gate, output.
    const at::Tensor y =
        runSsd(terms, gate, kChunk, call, m_w.gateActivation).squeeze(-1).to(input.scalar_type()); // [B, T, W]
    const at::Tensor open = activate(m_w.gateActivation, gate);
    captureGain([&] { return open.to(at::kFloat); }, call);
    return projectHeads(y * open, m_spec.heads, m_w.output, call, rowsOnly);
}

HeadMaps GatedRecurrence::headMaps(int head) const
{
    HeadMaps maps;
    maps.value = denseOf(m_w.input.weight).narrow(0, head, 1) * m_w.conv.ownTap(head, 1);
    maps.output = inputsOf(m_w.output.weight, head, 1);
    return maps;
}

} // namespace headscope::lm
