// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/gateddeltanet.h"

#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <limits>

namespace headscope::lm {

namespace {

constexpr std::int64_t kDeltaChunk = 64;

/// What the positions of one chunk need of each other.
struct Inner {
    at::Tensor sums;    ///< running sums of logAlpha, [.., Q, 1 or N], fp32 of a double sum
    at::Tensor pattern; ///< q k^T with decay on and below the diagonal, [.., Q, Q]
    at::Tensor solved;  ///< inverse of I + (beta k k^T with decay below the diagonal), [.., Q, Q]
};

// Products of rows a with the keys on and below the diagonal, decayed between them, [.., Q, Q]: one decay a row, or one
// for each channel, a few rows at a time.
at::Tensor decayedProducts(const at::Tensor& a, const at::Tensor& k, const at::Tensor& sums)
{
    constexpr std::int64_t kElements = std::int64_t{1} << 24;
    const std::int64_t length = k.size(-2), perRow = std::max<std::int64_t>(k.numel(), 1);
    const std::int64_t step = sums.size(-1) == 1
                                  ? length
                                  : std::clamp<std::int64_t>(kElements / perRow, 1, std::max<std::int64_t>(length, 1));
    std::vector<at::Tensor> rows;
    for (std::int64_t from = 0; from < length; from += step) {
        const std::int64_t count = std::min(step, length - from);
        const at::Tensor above = at::ones({count, length}, a.options().dtype(at::kBool)).triu(from + 1).unsqueeze(-1);
        const at::Tensor decay = (sums.narrow(-2, from, count).unsqueeze(-2) - sums.unsqueeze(-3))
                                     .to(at::kFloat)
                                     .masked_fill(above, -std::numeric_limits<float>::infinity())
                                     .exp(); // [.., count, Q, 1 or N]
        const at::Tensor own = a.narrow(-2, from, count);
        rows.push_back(sums.size(-1) == 1 ? at::matmul(own, k.transpose(-1, -2)) * decay.squeeze(-1)
                                          : at::matmul(decay * k.unsqueeze(-3), own.unsqueeze(-1)).squeeze(-1));
    }
    return rows.size() == 1 ? rows.front() : at::cat(rows, -2);
}

Inner innerOf(const DeltaTerms& t)
{
    const std::int64_t length = t.q.size(-2);
    const at::Tensor sums = t.logAlpha.to(at::kDouble).cumsum(-2);
    const at::Tensor lower = decayedProducts(t.k * t.beta.unsqueeze(-1), t.k, sums).tril(-1);
    const at::Tensor unit = at::eye(length, t.q.options());
    const at::Tensor solved =
        at::linalg_solve_triangular(lower + unit, unit.expand_as(lower).contiguous(), false, true, true);
    return {sums.to(at::kFloat), decayedProducts(t.q, t.k, sums), solved};
}

DeltaTerms narrow(const DeltaTerms& t, std::int64_t from, std::int64_t count)
{
    return {t.q.narrow(2, from, count), t.k.narrow(2, from, count), t.v.narrow(2, from, count),
            t.beta.narrow(2, from, count), t.logAlpha.narrow(2, from, count)};
}

at::Tensor unitLength(const at::Tensor& x)
{
    return x * at::rsqrt(x.square().sum(-1, true) + 1e-6);
}

} // namespace

at::Tensor deltaScan(const DeltaTerms& terms, at::Tensor& state, std::int64_t chunk)
{
    const std::int64_t length = terms.q.size(2);
    std::vector<at::Tensor> pieces;
    for (std::int64_t from = 0; from < length; from += chunk) {
        const DeltaTerms t = narrow(terms, from, std::min(chunk, length - from));
        const Inner inner = innerOf(t);
        const at::Tensor grown = inner.sums.exp();
        // What each position really writes: its value minus what the state already answers to its key.
        at::Tensor written = at::matmul(inner.solved, t.v * t.beta.unsqueeze(-1));
        if (state.defined())
            written = written - at::matmul(at::matmul(inner.solved, t.k * t.beta.unsqueeze(-1) * grown), state);
        at::Tensor y = at::matmul(inner.pattern, written);
        if (state.defined())
            y = y + at::matmul(t.q * grown, state);
        const at::Tensor total = inner.sums.narrow(-2, inner.sums.size(-2) - 1, 1); // [.., 1, 1 or N]
        const at::Tensor toEnd = (total - inner.sums).exp();
        const at::Tensor added = at::matmul((t.k * toEnd).transpose(-1, -2), written);
        state = state.defined() ? state * total.exp().transpose(-1, -2) + added : added;
        pieces.push_back(y);
    }
    return pieces.size() == 1 ? pieces.front() : at::cat(pieces, 2);
}

RecurrenceRows deltaRows(const DeltaTerms& t, const std::vector<int>& heads)
{
    const auto chosen = [&heads](const at::Tensor& x) { return chosenHeads(x, heads); };
    const DeltaTerms own{chosen(t.q), chosen(t.k), {}, chosen(t.beta), chosen(t.logAlpha)};
    return {
        {{own.q.size(0), own.q.size(1)}, own.q.size(2), own.q.size(3), kDeltaChunk, own.q.options()},
        [own](std::int64_t from, std::int64_t count, const at::Tensor& v, at::Tensor& state) {
            const auto tokens = [&](const at::Tensor& x) { return x.narrow(2, from, count); };
            return deltaScan({tokens(own.q), tokens(own.k), v, tokens(own.beta), tokens(own.logAlpha)}, state, count);
        }};
}

at::Tensor GatedDeltaNet::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), heads = m_spec.heads, keyHeads = m_spec.kvHeads,
                       share = heads / keyHeads;
    const bool kimi = m_w.forgetUp.weight.defined();
    const std::int64_t gateDim = kimi ? 0 : share * m_spec.headDim;
    const std::int64_t keyDim = m_spec.state, valueDim = m_spec.headDim, keyWidth = keyHeads * keyDim,
                       valueWidth = heads * valueDim;

    // 1. Projections come grouped by key head; the convolution runs over all q, then all k, then all v.
    const auto grouped = [&](const Linear& map, const at::Tensor& own,
                             const std::vector<std::pair<unsigned, std::int64_t>>& layout) {
        const at::Tensor projected = map(own).view({batch, length, keyHeads, -1});
        return call.otherInput.defined()
                   ? chosenColumns(projected, map(call.otherInput).view(projected.sizes()), layout, call.otherParts)
                   : projected;
    };
    const auto groups = grouped(m_w.queryKeyValueGate, input,
                                {{kQuery, keyDim}, {kKey, keyDim}, {kValue, share * valueDim}, {kGate, gateDim}})
                            .split_with_sizes({keyDim, keyDim, share * valueDim, gateDim}, -1);
    const auto flat = [&](const at::Tensor& x) { return x.reshape({batch, length, -1}); };
    const at::Tensor mixed = m_w.conv(at::cat({flat(groups[0]), flat(groups[1]), flat(groups[2])}, -1),
                                      call.state ? &call.state->first : nullptr, call.batch.tree)
                                 .to(at::kFloat);
    const at::Tensor gate = kimi ? m_w.gateUp(m_w.gateDown(call.inputOf(kGate, input))) : flat(groups[3]);
    const auto rates =
        grouped(m_w.betaAlpha, input, {{kStep, kimi ? share : 2 * share}}).to(at::kFloat).split(share, -1);

    // 2. Terms of the recurrence, [B, H, T, ...].
    const auto byHead = [&](const at::Tensor& x, std::int64_t count, std::int64_t dim) {
        return x.reshape({batch, length, count, dim}).transpose(1, 2);
    };
    DeltaTerms terms;
    terms.q = unitLength(byHead(mixed.narrow(-1, 0, keyWidth), keyHeads, keyDim)).repeat_interleave(share, 1)
              / std::sqrt(static_cast<double>(keyDim));
    terms.k = unitLength(byHead(mixed.narrow(-1, keyWidth, keyWidth), keyHeads, keyDim)).repeat_interleave(share, 1);
    terms.v = byHead(mixed.narrow(-1, 2 * keyWidth, valueWidth), heads, valueDim);
    terms.beta = flat(rates[0]).sigmoid().transpose(1, 2) * m_w.betaFactor;
    const at::Tensor forget = kimi ? m_w.forgetUp(m_w.forgetDown(call.inputOf(kStep, input))) : flat(rates[1]);
    terms.logAlpha =
        -m_w.aLog.to(at::kFloat).exp().view({1, heads, 1, 1})
        * byHead(at::softplus(forget.to(at::kFloat) + m_w.dtBias.to(at::kFloat)), heads, kimi ? keyDim : 1);

    // 3. Scan, masks, capture.
    at::Tensor state = call.state ? call.state->second : at::Tensor();
    const auto scan = [](const std::vector<at::Tensor>& part,
                         at::Tensor& carried) { // between [S, T, H, ...] and [S, H, T, ...]
        const auto turned = [&](std::size_t i) { return part[i].transpose(1, 2); };
        return deltaScan({turned(0), turned(1), turned(2), turned(3), turned(4)}, carried, kDeltaChunk).transpose(1, 2);
    };
    std::vector<at::Tensor> scanned{terms.q, terms.k, terms.v, terms.beta, terms.logAlpha};
    for (at::Tensor& term : scanned)
        term = term.transpose(1, 2);
    at::Tensor y; // [B, T, H, P]
    if (call.wantsMatrixOnly())
        y = at::zeros_like(scanned[2]);
    else
        y = call.batch.tree ? alongTree(*call.batch.tree, scanned, scan) : scan(scanned, state);
    if (call.state)
        call.state->second = state;
    const at::Tensor values = terms.v.transpose(1, 2);
    y = maskMatrix(y, values, call,
                   {[&](int head, std::int64_t first, std::int64_t count) {
                        return deltaRows(terms, {head})(first, count).select(1, 0);
                    },
                    [&] { return ((terms.q * terms.k).sum(-1) * terms.beta).transpose(1, 2); }});
    if (call.wantsMatrix())
        captureMatrix(deltaRows(terms, call.capture->heads), gate, m_spec.heads, call, m_w.gateActivation);
    captureValues(values, y, call);

    // 4. Norm of each head, gate, output.
    const at::Tensor open = activate(m_w.gateActivation, gate.to(at::kFloat)).view(y.sizes());
    const at::Tensor normed = m_w.norm(y.to(input.scalar_type())).to(at::kFloat) * open;
    captureGain(
        [&] {
            const at::Tensor y32 = y.to(at::kFloat);
            const at::Tensor weight =
                m_w.norm.weight.defined() ? m_w.norm.weight.to(at::kFloat) : at::ones({}, y32.options());
            return (at::rsqrt(y32.square().mean(-1, true) + m_w.norm.eps) * weight * open).flatten(-2);
        },
        call);
    return projectHeads(normed.to(input.scalar_type()).reshape({batch, length, valueWidth}), m_spec.heads, m_w.output,
                        call, rowsOnly);
}

HeadMaps GatedDeltaNet::headMaps(int head) const
{
    const std::int64_t share = m_spec.heads / m_spec.kvHeads, group = head / share, one = head % share;
    const std::int64_t keyDim = m_spec.state, valueDim = m_spec.headDim, keyWidth = m_spec.kvHeads * keyDim;
    const at::Tensor rows = denseOf(m_w.queryKeyValueGate.weight)
                                .view({m_spec.kvHeads, -1, m_w.queryKeyValueGate.weight.size(1)})
                                .select(0, group);
    HeadMaps maps;
    maps.query = rows.narrow(0, 0, keyDim) * m_w.conv.ownTap(group * keyDim, keyDim);
    maps.key = rows.narrow(0, keyDim, keyDim) * m_w.conv.ownTap(keyWidth + group * keyDim, keyDim);
    maps.value = rows.narrow(0, 2 * keyDim + one * valueDim, valueDim)
                 * m_w.conv.ownTap(2 * keyWidth + head * valueDim, valueDim);
    maps.output = inputsOf(m_w.output.weight, head * valueDim, valueDim);
    maps.normed = true; // to length 1
    return maps;
}

} // namespace headscope::lm
