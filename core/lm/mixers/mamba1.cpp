// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mamba1.h"

#include "core/lm/kernels/cudakernels.h"
#include "core/lm/tree/treemixing.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::lm {

namespace {

// The doubling scan holds [B, block, E, N] numbers a few times over.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 23;
constexpr std::int64_t kLongestBlock = 64;

/// What the scan of one block of positions reads: decays and additions [B, Q, E, N].
struct Block {
    at::Tensor decay, added;
};

Block blockOf(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b, std::int64_t from,
              std::int64_t count)
{
    const at::Tensor step = dt.narrow(1, from, count).unsqueeze(-1);
    return {at::exp(step * a), step * x.narrow(1, from, count).unsqueeze(-1) * b.narrow(1, from, count).unsqueeze(2)};
}

// Composes each position with the one 1, 2, 4 ... before it: (a2, b2) after (a1, b1) is (a2 a1, a2 b1 + b2).
at::Tensor doublingScan(Block block, const at::Tensor& state)
{
    const std::int64_t length = block.decay.size(1);
    at::Tensor decay = block.decay, sum = block.added;
    if (state.defined())
        sum = at::cat(
            {(sum.narrow(1, 0, 1) + decay.narrow(1, 0, 1) * state.unsqueeze(1)), sum.narrow(1, 1, length - 1)}, 1);
    for (std::int64_t shift = 1; shift < length; shift *= 2) {
        const std::int64_t rest = length - shift;
        const at::Tensor later = decay.narrow(1, shift, rest);
        sum = at::cat({sum.narrow(1, 0, shift), later * sum.narrow(1, 0, rest) + sum.narrow(1, shift, rest)}, 1);
        decay = at::cat({decay.narrow(1, 0, shift), later * decay.narrow(1, 0, rest)}, 1);
    }
    return sum; // [B, Q, E, N]: the states after each position
}

// One position after the other, channels in parallel; decays come precomputed because ATen's exp is vectorised.
// decay: [Q, N, E]; stepX: [Q, E]; b, c: [Q, N]; state: [N, E]; y: [Q, E]. All contiguous fp32.
void scanPositions(const float* decay, const float* stepX, const float* b, const float* c, float* state, float* y,
                   std::int64_t length, std::int64_t states, std::int64_t channels)
{
    at::parallel_for(0, channels, 128, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = 0; t < length; ++t) {
            float* const out = y + t * channels;
            const float* const in = stepX + t * channels;
            std::fill(out + first, out + last, 0.0F);
            for (std::int64_t n = 0; n < states; ++n) {
                const float bn = b[t * states + n], cn = c[t * states + n];
                const float* const keep = decay + (t * states + n) * channels;
                float* const s = state + n * channels;
                for (std::int64_t e = first; e < last; ++e) {
                    s[e] = keep[e] * s[e] + in[e] * bn;
                    out[e] += cn * s[e];
                }
            }
        }
    });
}

at::Tensor positionScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                        const at::Tensor& c, at::Tensor& state)
{
    const std::int64_t batch = x.size(0), length = x.size(1), channels = x.size(2), states = a.size(1);
    const at::Tensor stepX = (dt * x).contiguous(), bRows = b.contiguous(), cRows = c.contiguous(),
                     rates = a.t().contiguous(); // [N, E]
    at::Tensor current = state.defined() ? state.transpose(1, 2).contiguous().clone()
                                         : at::zeros({batch, states, channels}, x.options());
    at::Tensor y = at::empty({batch, length, channels}, x.options());
    const std::int64_t block = std::clamp<std::int64_t>(kBlockElements / (states * channels), 1, length);
    for (std::int64_t sample = 0; sample < batch; ++sample)
        for (std::int64_t from = 0; from < length; from += block) {
            const std::int64_t count = std::min(block, length - from);
            const at::Tensor decay = (dt[sample].narrow(0, from, count).unsqueeze(1) * rates).exp_(); // [Q, N, E]
            scanPositions(decay.data_ptr<float>(), stepX[sample][from].data_ptr<float>(),
                          bRows[sample][from].data_ptr<float>(), cRows[sample][from].data_ptr<float>(),
                          current[sample].data_ptr<float>(), y[sample][from].data_ptr<float>(), count, states,
                          channels);
        }
    state = current.transpose(1, 2);
    return y;
}

} // namespace

at::Tensor selectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                         const at::Tensor& c, at::Tensor& state)
{
    const bool gradient =
        at::GradMode::is_enabled()
        && (x.requires_grad() || dt.requires_grad() || a.requires_grad() || b.requires_grad() || c.requires_grad());
    if (x.is_cpu() && !gradient)
        return positionScan(x, dt, a, b, c, state);
    if (x.is_cuda() && !gradient && a.size(1) <= 64 && cudaKernelsAvailable())
        return cudaSelectiveScan(x, dt, a, b, c, state);
    const std::int64_t length = x.size(1);
    const std::int64_t perPosition = x.size(0) * x.size(2) * a.size(1);
    const std::int64_t block =
        std::min(length, std::clamp<std::int64_t>(kBlockElements / perPosition, 1, kLongestBlock));
    std::vector<at::Tensor> pieces;
    for (std::int64_t from = 0; from < length; from += block) {
        const std::int64_t count = std::min(block, length - from);
        const at::Tensor states = doublingScan(blockOf(x, dt, a, b, from, count), state);
        state = states.select(1, count - 1);
        pieces.push_back(at::matmul(states, c.narrow(1, from, count).unsqueeze(-1)).squeeze(-1));
    }
    return pieces.size() == 1 ? pieces.front() : at::cat(pieces, 1);
}

namespace {

/// The terms of Mamba-1's matrices, for a few channels at a time.
struct Terms {
    at::Tensor dt;   ///< [B, T, E]
    at::Tensor a;    ///< [E, N]
    at::Tensor b, c; ///< [B, T, N]
    at::Tensor d;    ///< [E]
};

// [B, h, T or 1, T]: sum over n of C_t[n] exp(A[n] (T_t - T_s)) dt_s B_s[n].
at::Tensor matrixOf(const Terms& t, const SiteCapture& capture)
{
    const std::int64_t length = t.dt.size(1), channels = t.dt.size(2);
    const std::int64_t first = capture.row.value_or(0), rows = capture.row ? capture.rowCount : length;
    const at::Tensor key = at::arange(length, t.dt.options().dtype(at::kLong));
    const std::int64_t count = capture.heads.empty() ? channels : static_cast<std::int64_t>(capture.heads.size());
    const std::int64_t tile = std::clamp<std::int64_t>(kBlockElements / (t.dt.size(0) * length * t.a.size(1)), 1, rows);
    std::vector<at::Tensor> matrices;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t channel = capture.heads.empty() ? i : capture.heads[static_cast<std::size_t>(i)];
        const at::Tensor sums = t.dt.select(2, channel).to(at::kDouble).cumsum(1); // [B, T]
        std::vector<at::Tensor> tiles;
        for (std::int64_t from = first; from < first + rows; from += tile) {
            const std::int64_t r = std::min(tile, first + rows - from);
            const at::Tensor query = key.narrow(0, from, r).unsqueeze(-1); // [R, 1]
            const at::Tensor gap = (sums.narrow(1, from, r).unsqueeze(-1) - sums.unsqueeze(1))
                                       .to(at::kFloat)
                                       .masked_fill(key > query, 0);                      // [B, R, T]
            const at::Tensor decay = at::exp(gap.unsqueeze(-1) * t.a.select(0, channel)); // [B, R, T, N]
            at::Tensor m = (decay * t.c.narrow(1, from, r).unsqueeze(2) * t.b.unsqueeze(1)).sum(-1);
            if (capture.convention.withDt)
                m = m * t.dt.select(2, channel).unsqueeze(1);
            m = m.masked_fill(key > query, 0);
            if (capture.convention.withD)
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
    const std::int64_t width = m_spec.heads, states = m_spec.state, rank = m_w.step.weight.size(1);

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
    const bool matrixOnly = call.capture && call.capture->matrixOnly;
    const auto scan = [&](const std::vector<at::Tensor>& part, at::Tensor& carried) {
        return selectiveScan(part[0], part[1], terms.a, part[2], part[3], carried);
    };
    const std::vector<at::Tensor> scanned{x32, dt, terms.b, terms.c};
    at::Tensor y = at::zeros_like(x32);
    if (!matrixOnly)
        y = (call.batch.tree ? alongTree(*call.batch.tree, scanned, scan) : scan(scanned, state)) + x32 * terms.d;
    y = y.unsqueeze(-1);
    if (call.state)
        call.state->second = state;
    const at::Tensor values = x32.unsqueeze(-1);
    y = maskMatrix(y, values, call,
                   {[&](int head, std::int64_t first, std::int64_t count) {
                        SiteCapture one;
                        one.heads = {head};
                        one.row = static_cast<int>(first);
                        one.rowCount = static_cast<int>(count);
                        return matrixOf(terms, one).select(1, 0);
                    },
                    [&] { return (terms.c * terms.b).sum(-1, true) * dt + terms.d; }});
    if (call.capture && call.capture->wantMatrix)
        call.capture->matrix = editedMatrix(matrixOf(terms, *call.capture), gate, m_spec.heads, call);
    captureValues(values, y, call);

    // 4. Gate and output.
    captureGain([&] { return at::silu(gate.to(at::kFloat)); }, call);
    const at::Tensor z = (y.squeeze(-1) * at::silu(gate.to(at::kFloat))).to(dtype);
    return projectHeads(z, m_spec.heads, m_w.output, call, rowsOnly);
}

HeadMaps Mamba1::headMaps(int head) const
{
    const std::int64_t width = m_spec.heads, states = m_spec.state, rank = m_w.step.weight.size(1);
    const at::Tensor x = m_w.input.weight.narrow(0, 0, width) * m_w.conv.ownTap(0, width); // [E, in]
    HeadMaps maps;
    maps.value = x.narrow(0, head, 1);
    maps.key = at::matmul(m_w.parameters.weight.narrow(0, rank, states), x);
    maps.query = at::matmul(m_w.parameters.weight.narrow(0, rank + states, states), x);
    maps.output = m_w.output.weight.narrow(1, head, 1);
    maps.normed = m_w.bNorm.has_value() || m_w.cNorm.has_value();
    return maps;
}

} // namespace headscope::lm
