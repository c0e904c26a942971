// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mlstm.h"

#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <cmath>

namespace headscope::lm {

namespace {

// The largest exponent so far, m_t = max(m_(t-1) + log f_t, i_t) from 0 on: [B, T, H]. `state` [B, H] is the one before
// the first token (undefined: 0) and becomes that of the last. weight: exp(i), of which 0 changes nothing.
at::Tensor largestExponents(const at::Tensor& logForget, const at::Tensor& weight, at::Tensor& state)
{
    const at::Tensor sums = logForget.to(at::kDouble).cumsum(1);
    at::Tensor most = std::get<0>(at::cummax(weight.to(at::kDouble).log() - sums, 1));
    most = state.defined() ? at::maximum(most, state.to(at::kDouble).unsqueeze(1)) : most.clamp_min(0);
    const at::Tensor m = (most + sums).to(at::kFloat);
    state = m.select(1, m.size(1) - 1);
    return m;
}

at::Tensor sequenceOf(const SsdTerms& terms, int chunk, MixerCall& call)
{
    if (call.batch.tree)
        return ssdAlongTree(terms, *call.batch.tree);
    if (!call.state && onFloatKernels(terms.x, terms.b, terms.c, terms.logDecay, terms.weight))
        return ssdAlongTree(
            terms, DeviceTree(std::make_shared<const TokenTree>(terms.x.size(0), terms.x.size(1)), terms.x.device()));
    at::Tensor state = call.state ? call.state->second : at::Tensor();
    at::Tensor y = ssdScan(terms, state, chunk);
    if (call.state)
        call.state->second = state;
    return y;
}

at::Tensor exponentsOf(const SsdTerms& terms, MixerCall& call)
{
    if (call.batch.tree)
        return alongTree(*call.batch.tree, {terms.logDecay, terms.weight},
                         [](const std::vector<at::Tensor>& part, at::Tensor& states) {
                             return largestExponents(part[0], part[1], states);
                         });
    at::Tensor state = call.state ? call.state->first : at::Tensor();
    at::Tensor m = largestExponents(terms.logDecay, terms.weight, state);
    if (call.state)
        call.state->first = state.clone();
    return m;
}

// Without the mean over P of each head, as a LayerNorm goes on from. It commutes with M.
at::Tensor centred(const at::Tensor& x)
{
    return x - x.mean(-1, true);
}

} // namespace

SsdTerms Mlstm::termsOf(const at::Tensor& input, const MixerCall& call) const
{
    const auto heads = [&](const Linear& map, InputPart part) {
        return map(call.inputOf(part, input)).unflatten(-1, {m_spec.heads, -1}).to(at::kFloat);
    };
    const auto capped = [&](const Linear& map) {
        const at::Tensor x = map(call.inputOf(kStep, input)).to(at::kFloat);
        return at::tanh(x / m_w.gateCap) * m_w.gateCap;
    };
    SsdTerms terms;
    terms.x = heads(m_w.value, kValue);
    terms.x =
        at::cat({terms.x, at::ones_like(terms.x.narrow(-1, 0, 1))}, -1); // beside the values, what the rows sum to
    terms.b = heads(m_w.key, kKey).contiguous();
    terms.c = heads(m_w.query, kQuery) * (1.0 / std::sqrt(static_cast<double>(m_spec.state)));
    terms.logDecay = at::log_sigmoid(capped(m_w.forgetGate));
    terms.weight = capped(m_w.inputGate).exp();
    terms.d = at::zeros({m_spec.heads}, terms.x.options());
    return terms;
}

// y [B, T, H, P] with masks, state and capture as the call wants.
at::Tensor Mlstm::mix(const SsdTerms& terms, const at::Tensor& gate, MixerCall& call) const
{
    const at::Tensor whole = sequenceOf(terms, m_w.chunk, call), values = terms.x.narrow(-1, 0, m_spec.headDim);
    const at::Tensor divisor =
        whole.select(-1, m_spec.headDim).abs().clamp_min(1) + m_w.eps * exponentsOf(terms, call).exp(); // [B, T, H]
    const auto rows = [&terms, &divisor](const std::vector<int>& heads) -> MatrixRows {
        const at::Tensor by = chosenHeads(divisor.transpose(1, 2), heads).unsqueeze(-1); // [B, h, T, 1]
        return [own = matrixTerms(terms, heads), by](std::int64_t first, std::int64_t count) {
            return ssdMatrix(own, {}, first, count, true, true) / by.narrow(2, first, count);
        };
    };
    const at::Tensor y = maskMatrix(
        whole.narrow(-1, 0, m_spec.headDim) / divisor.unsqueeze(-1), values, call,
        {[&](int head, std::int64_t first, std::int64_t count) { return rows({head})(first, count).select(1, 0); },
         [&] { return ssdDiagonal(terms) / divisor; }});
    if (call.wantsMatrix())
        captureMatrix(rows(call.capture->heads), gate, m_spec.heads, call, Activation::Sigmoid);
    if (call.capture && call.capture->wantValues)
        captureValues(centred(values), centred(y), call);
    return scaleBeforeNorm(y, call);
}

at::Tensor Mlstm::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const at::Tensor gate = m_w.gate(call.inputOf(kGate, input));
    const at::Tensor y = centred(mix(termsOf(input, call), gate, call).to(input.scalar_type()).to(at::kFloat));
    const at::Tensor scale = at::rsqrt(y.square().mean(-1, true) + m_w.normEps); // [B, T, H, 1]
    const at::Tensor open = at::sigmoid(gate);
    captureGain([&] { return scale.expand_as(y).flatten(-2) * m_w.normWeight.to(at::kFloat) * open.to(at::kFloat); },
                call);
    const at::Tensor normed = (y * scale).flatten(-2).to(input.scalar_type()) * m_w.normWeight;
    return projectHeads(open * normed, m_spec.heads, m_w.output, call, rowsOnly);
}

HeadMaps Mlstm::headMaps(int head) const
{
    const auto rows = [head](const Linear& map, std::int64_t width) {
        return denseOf(map.weight).narrow(0, head * width, width);
    };
    return {.query = rows(m_w.query, m_spec.state),
            .key = rows(m_w.key, m_spec.state),
            .value = rows(m_w.value, m_spec.headDim),
            .output = inputsOf(m_w.output.weight, std::int64_t{head} * m_spec.headDim, m_spec.headDim)};
}

} // namespace headscope::lm
