// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mamba1.h"

#include "core/lm/mixers/selectivescan.h"
#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <algorithm>

namespace headscope::lm {

namespace {

// As many numbers as the matrices of a tile of rows take at most.
constexpr std::int64_t kTileStates = std::int64_t{1} << 23;

/// The terms of Mamba-1's matrices, for a few channels at a time.
struct Terms {
    at::Tensor dt;   ///< [B, T, E]
    at::Tensor a;    ///< [E, N]
    at::Tensor b, c; ///< [B, T, G*N], by groups of channels
    at::Tensor d;    ///< [E]

    /// B or C of a channel: [B, T, N].
    [[nodiscard]] at::Tensor of(const at::Tensor& bc, std::int64_t channel) const
    {
        const std::int64_t states = a.size(1), group = channel * (bc.size(2) / states) / a.size(0);
        return bc.narrow(2, group * states, states);
    }
    /// Of these channels alone (empty: all), each with its own B and C.
    [[nodiscard]] Terms ofChannels(const std::vector<int>& channels) const
    {
        if (channels.empty())
            return *this;
        std::vector<at::Tensor> ownB, ownC;
        for (const int channel : channels) {
            ownB.push_back(of(b, channel));
            ownC.push_back(of(c, channel));
        }
        return {chosenHeads(dt, channels, 2), chosenHeads(a, channels, 0), at::cat(ownB, 2), at::cat(ownC, 2),
                chosenHeads(d, channels, 0)};
    }
};

// The scan of each group of channels, with the B and C that they share. part: x, dt, B, C.
at::Tensor scanGroups(const std::vector<at::Tensor>& part, const at::Tensor& a, at::Tensor& state)
{
    const std::int64_t groups = part[2].size(2) / a.size(1);
    if (groups == 1)
        return selectiveScan(part[0], part[1], a, part[2], part[3], state);
    std::vector<at::Tensor> outputs, states;
    for (std::int64_t group = 0; group < groups; ++group) {
        const auto share = [&](const at::Tensor& x, std::int64_t dim) {
            const std::int64_t width = x.size(dim) / groups;
            return x.narrow(dim, group * width, width).contiguous();
        };
        at::Tensor own = state.defined() ? share(state, 1) : state;
        outputs.push_back(selectiveScan(share(part[0], 2), share(part[1], 2), share(a, 0), share(part[2], 2),
                                        share(part[3], 2), own));
        states.push_back(own);
    }
    state = at::cat(states, 1);
    return at::cat(outputs, 2);
}

// Rows of all channels, [B, h, R, T]: sum over n of C_t[n] exp(A[n] (T_t - T_s)) dt_s B_s[n].
at::Tensor matrixOf(const Terms& t, std::int64_t first, std::int64_t rows, const MatrixConvention& convention)
{
    const std::int64_t length = t.dt.size(1), channels = t.dt.size(2);
    const at::Tensor key = at::arange(length, t.dt.options().dtype(at::kLong));
    const std::int64_t tile = std::clamp<std::int64_t>(kTileStates / (t.dt.size(0) * length * t.a.size(1)), 1, rows);
    std::vector<at::Tensor> matrices;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        const at::Tensor b = t.of(t.b, channel), c = t.of(t.c, channel);
        const at::Tensor sums = t.dt.select(2, channel).to(at::kDouble).cumsum(1); // [B, T]
        std::vector<at::Tensor> tiles;
        for (std::int64_t from = first; from < first + rows; from += tile) {
            const std::int64_t r = std::min(tile, first + rows - from);
            const at::Tensor query = key.narrow(0, from, r).unsqueeze(-1); // [R, 1]
            const at::Tensor gap = (sums.narrow(1, from, r).unsqueeze(-1) - sums.unsqueeze(1))
                                       .to(at::kFloat)
                                       .masked_fill(key > query, 0);                      // [B, R, T]
            const at::Tensor decay = at::exp(gap.unsqueeze(-1) * t.a.select(0, channel)); // [B, R, T, N]
            at::Tensor m = (decay * c.narrow(1, from, r).unsqueeze(2) * b.unsqueeze(1)).sum(-1);
            if (convention.withDt)
                m = m * t.dt.select(2, channel).unsqueeze(1);
            m = m.masked_fill(key > query, 0);
            if (convention.withD)
                m = m + (key == query).to(at::kFloat) * t.d.select(0, channel);
            tiles.push_back(m);
        }
        matrices.push_back(tiles.size() == 1 ? tiles.front() : at::cat(tiles, 1));
    }
    return at::stack(matrices, 1);
}

} // namespace

at::Tensor Mamba1::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const at::ScalarType dtype = input.scalar_type();
    const std::int64_t width = m_spec.heads, groups = m_spec.kvHeads, states = groups * m_spec.state,
                       rank = m_w.step.weight.size(1);

    // 1. Projection and convolution.
    at::Tensor projected = m_w.input(input), others;
    const auto convolved = [&](const at::Tensor& of) {
        return m_w.conv(of.narrow(-1, 0, width), call.state ? &call.state->first : nullptr, call.batch.tree);
    };
    at::Tensor x = convolved(projected);
    at::Tensor parameters = m_w.parameters(x);
    if (call.otherInput.defined()) { // B, C and the step are made of x, each from the one that it reads
        const at::Tensor other = m_w.input(call.otherInput), otherX = convolved(other);
        projected = chosenColumns(projected, other, {{kValue, width}, {kGate, width}}, call.otherParts);
        parameters = chosenColumns(parameters, m_w.parameters(otherX),
                                   {{kStep, rank}, {kKey, states}, {kQuery, states}}, call.otherParts);
        x = (call.otherParts & kValue) != 0 ? otherX : x;
    }
    const at::Tensor gate = projected.narrow(-1, width, width);

    // 2. The terms of the scan; product in the run's dtype, bias and softplus in fp32 (as the reference's kernel).
    at::Tensor step = parameters.narrow(-1, 0, rank), b = parameters.narrow(-1, rank, states),
               c = parameters.narrow(-1, rank + states, states);
    step = m_w.stepNorm ? (*m_w.stepNorm)(step) : step;
    b = m_w.bNorm ? (*m_w.bNorm)(b) : b;
    c = m_w.cNorm ? (*m_w.cNorm)(c) : c;
    at::Tensor dt = at::linear(step, m_w.step.weight).to(at::kFloat);
    if (m_w.step.bias.defined())
        dt = dt + m_w.step.bias.to(at::kFloat);
    dt = at::softplus(dt);
    const at::Tensor x32 = x.to(at::kFloat);
    const Terms terms{dt, -at::exp(m_w.aLog.to(at::kFloat)), b.to(at::kFloat), c.to(at::kFloat), m_w.d.to(at::kFloat)};

    // 3. Scan, masks, capture: a channel is a head of width 1.
    at::Tensor state = call.state ? call.state->second : at::Tensor();
    const auto scan = [&](const std::vector<at::Tensor>& part, at::Tensor& carried) {
        return scanGroups(part, terms.a, carried);
    };
    const std::vector<at::Tensor> scanned{x32, dt, terms.b, terms.c};
    at::Tensor y = at::zeros_like(x32);
    if (!call.wantsMatrixOnly())
        y = (call.batch.tree ? alongTree(*call.batch.tree, scanned, scan) : scan(scanned, state)) + x32 * terms.d;
    y = y.unsqueeze(-1);
    if (call.state)
        call.state->second = state;
    const at::Tensor values = x32.unsqueeze(-1);
    y = maskMatrix(y, values, call,
                   {[&](int head, std::int64_t first, std::int64_t count) {
                        return matrixOf(terms.ofChannels({head}), first, count, {}).select(1, 0);
                    },
                    [&] {
                        const at::Tensor same = (terms.c * terms.b).unflatten(-1, {groups, m_spec.state}).sum(-1);
                        return same.repeat_interleave(width / groups, -1) * dt + terms.d;
                    }});
    if (call.wantsMatrix())
        captureMatrix([own = terms.ofChannels(call.capture->heads), as = call.capture->convention](
                          std::int64_t first, std::int64_t count) { return matrixOf(own, first, count, as); },
                      gate, m_spec.heads, call);
    captureValues(values, y, call);

    // 4. Gate and output.
    captureGain([&] { return at::silu(gate.to(at::kFloat)); }, call);
    const at::Tensor z = (y.squeeze(-1) * at::silu(gate.to(at::kFloat))).to(dtype);
    return projectHeads(z, m_spec.heads, m_w.output, call, rowsOnly);
}

std::optional<ScanScores> Mamba1::scanScores(int head, const at::Tensor& input) const
{
    const std::int64_t width = m_spec.heads, states = m_spec.state, rank = m_w.step.weight.size(1),
                       group = head * std::int64_t{m_spec.kvHeads} / width;
    const at::Tensor x = m_w.conv(m_w.input.floatOutputs(0, width)(input), nullptr);
    const auto part = [&](std::int64_t first, std::int64_t count, const std::optional<Norm>& norm) {
        const at::Tensor made = m_w.parameters.floatOutputs(first, count)(x);
        return norm ? (*norm)(made) : made;
    };
    const std::int64_t all = m_spec.kvHeads * states;
    const at::Tensor b = part(rank, all, m_w.bNorm), c = part(rank + all, all, m_w.cNorm),
                     step = m_w.step.floatOutputs(head, 1)(part(0, rank, m_w.stepNorm)),
                     dt = at::softplus(step); // [B, T, 1]
    return ScanScores{.query = c.narrow(-1, group * states, states),
                      .key = b.narrow(-1, group * states, states),
                      .logDecay = dt * -at::exp(m_w.aLog.to(at::kFloat)[head]),
                      .weight = dt.squeeze(-1),
                      .taps = m_w.conv.taps()};
}

HeadMaps Mamba1::headMaps(int head) const
{
    const std::int64_t width = m_spec.heads, states = m_spec.state, rank = m_w.step.weight.size(1),
                       group = head * std::int64_t{m_spec.kvHeads} / width, keys = rank + group * states;
    const at::Tensor x = denseOf(m_w.input.weight).narrow(0, 0, width) * m_w.conv.ownTap(0, width); // [E, in]
    HeadMaps maps;
    maps.value = x.narrow(0, head, 1);
    maps.key = at::matmul(denseOf(m_w.parameters.weight).narrow(0, keys, states), x);
    maps.query = at::matmul(denseOf(m_w.parameters.weight).narrow(0, keys + m_spec.kvHeads * states, states), x);
    maps.output = inputsOf(m_w.output.weight, head, 1);
    maps.normed = m_w.bNorm.has_value() || m_w.cNorm.has_value();
    return maps;
}

} // namespace headscope::lm
