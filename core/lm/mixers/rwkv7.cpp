// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/rwkv7.h"

#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

namespace headscope::lm {

namespace {

// Decays of a chunk are taken apart into a factor of each row and one of each column: exp(0.61 * 64) is still a number.
constexpr std::int64_t kRwkvChunk = 64;
constexpr double kLeastLogDecay = -0.6065306597126334; // -exp(-1/2)

at::Tensor scanOfChunk(const Rwkv7Terms& t, const at::Tensor& v, at::Tensor& state)
{
    const std::int64_t count = v.size(-2);
    const at::Tensor logDecay = t.logDecay.to(at::kDouble), sums = logDecay.cumsum(-2),
                     total = sums.narrow(-2, count - 1, 1);
    const at::Tensor grown = sums.exp().to(at::kFloat), shrunk = sums.neg().exp().to(at::kFloat),
                     toEnd = (total - sums).exp().to(at::kFloat);
    const at::Tensor r = t.r * grown, a = t.a * (sums - logDecay).exp().to(at::kFloat);
    const at::Tensor k = (t.k * shrunk).transpose(-1, -2), b = (t.b * shrunk).transpose(-1, -2);
    // What each position takes away: what the state before it, without its own decay, answers to its key.
    at::Tensor asked = at::matmul(at::matmul(a, k).tril(-1), v);
    if (state.defined())
        asked = asked + at::matmul(a, state);
    const at::Tensor lower = at::matmul(a, b).tril(-1) + at::eye(count, a.options());
    const at::Tensor taken = at::linalg_solve_triangular(lower, asked, false, true, true);
    at::Tensor y = at::matmul(at::matmul(r, k).tril(), v) - at::matmul(at::matmul(r, b).tril(), taken);
    if (state.defined())
        y = y + at::matmul(r, state);
    const at::Tensor added =
        at::matmul((t.k * toEnd).transpose(-1, -2), v) - at::matmul((t.b * toEnd).transpose(-1, -2), taken);
    state = state.defined() ? state * total.exp().to(at::kFloat).transpose(-1, -2) + added : added;
    return y;
}

Rwkv7Terms tokensOf(const Rwkv7Terms& t, std::int64_t from, std::int64_t count)
{
    const auto own = [&](const at::Tensor& x) { return x.narrow(-2, from, count); };
    return {own(t.r), own(t.logDecay), own(t.k), own(t.a), own(t.b)};
}

at::Tensor withoutMean(const at::Tensor& x)
{
    return x - x.mean(-1, true);
}

} // namespace

at::Tensor rwkv7Scan(const Rwkv7Terms& terms, const at::Tensor& v, at::Tensor& state)
{
    std::vector<at::Tensor> pieces;
    for (std::int64_t from = 0; from < v.size(-2); from += kRwkvChunk) {
        const std::int64_t count = std::min(kRwkvChunk, v.size(-2) - from);
        pieces.push_back(scanOfChunk(tokensOf(terms, from, count), v.narrow(-2, from, count), state));
    }
    return pieces.size() == 1 ? pieces.front() : at::cat(pieces, -2);
}

RecurrenceRows rwkv7Rows(const Rwkv7Terms& terms)
{
    std::vector<std::int64_t> batch = terms.r.sizes().vec();
    batch.resize(batch.size() - 2);
    return {{batch, terms.r.size(-2), terms.r.size(-1), kRwkvChunk, terms.r.options()},
            [terms](std::int64_t from, std::int64_t count, const at::Tensor& v, at::Tensor& state) {
                return scanOfChunk(tokensOf(terms, from, count), v, state);
            }};
}

struct Rwkv7::Parts {
    Rwkv7Terms terms; ///< [B, H, T, N]
    at::Tensor v;     ///< [B, T, H, P]
    at::Tensor bonus; ///< [B, T, H]
    at::Tensor gate;  ///< [B, T, H*P]
};

Rwkv7::Parts Rwkv7::partsOf(const at::Tensor& input, MixerCall& call) const
{
    // 1. Each part reads its own mixture of a token and the one before.
    const std::int64_t hidden = input.size(-1);
    const at::Tensor embedding = m_w.first ? m_w.first->norm(call.embedding.to(input.scalar_type())) : at::Tensor();
    const at::Tensor both = m_w.first ? at::cat({input, embedding}, -1) : input;
    const at::Tensor before = tokensBefore(both, call.state ? &call.state->first : nullptr, call.batch.tree);
    const at::Tensor otherBefore =
        call.otherInput.defined() ? tokensBefore(call.otherInput, nullptr, call.batch.tree) : at::Tensor();
    const auto read = [&](InputPart part, const at::Tensor& share) {
        const at::Tensor& own = call.inputOf(part, input);
        return at::lerp(own, own.is_same(input) ? before.narrow(-1, 0, hidden) : otherBefore, share);
    };
    const auto single = [](const at::Tensor& x) { return x.to(at::kFloat); };
    const auto byHead = [&](const at::Tensor& x) { return x.unflatten(-1, {m_spec.heads, -1}); };

    // 2. The terms of the recurrence.
    Parts parts;
    const at::Tensor valueInput = read(kValue, m_w.shares.value);
    at::Tensor v = single(m_w.value(valueInput));
    if (m_w.first) {
        const at::Tensor shifted = at::lerp(embedding, before.narrow(-1, hidden, hidden), m_w.first->share);
        v = at::lerp(v, single(m_w.first->value(shifted)), at::sigmoid(single(m_w.valueShare(valueInput))));
    }
    parts.v = byHead(v);
    const at::Tensor key = single(m_w.key(read(kKey, m_w.shares.key))),
                     rate = at::sigmoid(single(m_w.rate(read(kStep, m_w.shares.rate))));
    const at::Tensor removal = byHead(key * single(m_w.removalScale));
    const at::Tensor squared = removal.square().sum(-1, true);
    const at::Tensor unit = removal / (m_w.fusedLength ? (squared + 1e-6).sqrt() : squared.sqrt().clamp_min(1e-12));
    const at::Tensor k = byHead(key * (1 + (rate - 1) * single(m_w.rateShare))),
                     r = byHead(single(m_w.query(read(kQuery, m_w.shares.query))));
    const at::Tensor logDecay = kLeastLogDecay * at::sigmoid(single(m_w.decay(read(kStep, m_w.shares.decay))));
    const auto turned = [](const at::Tensor& x) { return x.transpose(1, 2); };
    parts.terms = {turned(r), turned(byHead(logDecay)), turned(k), turned(unit), turned(unit * byHead(rate))};
    parts.bonus = (r * k * single(m_w.bonus)).sum(-1);
    parts.gate = single(m_w.gate(read(kGate, m_w.shares.gate)));
    return parts;
}

// y [B, T, H, P] of the recurrence, with the call's masks and state.
at::Tensor Rwkv7::mixed(const Parts& parts, MixerCall& call) const
{
    const Rwkv7Terms& t = parts.terms;
    const auto turned = [](const at::Tensor& x) { return x.transpose(1, 2); };
    at::Tensor y;
    if (call.batch.tree) {
        y = alongTree(
            *call.batch.tree, {turned(t.r), turned(t.logDecay), turned(t.k), turned(t.a), turned(t.b), parts.v},
            [&](const std::vector<at::Tensor>& own, at::Tensor& carried) {
                const Rwkv7Terms part{turned(own[0]), turned(own[1]), turned(own[2]), turned(own[3]), turned(own[4])};
                return turned(rwkv7Scan(part, turned(own[5]), carried));
            });
    } else {
        at::Tensor state = call.state ? call.state->second : at::Tensor();
        y = turned(rwkv7Scan(t, turned(parts.v), state));
        if (call.state)
            call.state->second = state;
    }
    return maskMatrix(y, parts.v, call,
                      {[&](int head, std::int64_t first, std::int64_t count) {
                           const auto one = [&](const at::Tensor& x) { return x.select(1, head); };
                           return rwkv7Rows({one(t.r), one(t.logDecay), one(t.k), one(t.a), one(t.b)})(first, count);
                       },
                       [&] { return turned((t.r * t.k).sum(-1)); }});
}

at::Tensor Rwkv7::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const Parts parts = partsOf(input, call);
    const std::int64_t length = input.size(1);
    const at::Tensor y = withoutMean(scaleBeforeNorm(mixed(parts, call), call)); // [B, T, H, P]
    const at::Tensor ones = at::ones_like(parts.bonus).unsqueeze(-1);
    const at::Tensor bonus = scaleBeforeNorm( // [B, T, H, 1], a masked entry of the own token has none
        maskMatrix(parts.bonus.unsqueeze(-1), ones, call,
                   {[&](int head, std::int64_t first, std::int64_t count) {
                        at::Tensor rows = at::zeros({input.size(0), count, length}, ones.options());
                        rows.diagonal(first, -2, -1).copy_(parts.bonus.select(2, head).narrow(1, first, count));
                        return rows;
                    },
                    [&] { return parts.bonus; }}),
        call);

    // Norm of each head, bonus, gate.
    const at::Tensor weight = m_w.norm.weight.to(at::kFloat).view({m_spec.heads, m_spec.headDim});
    const at::Tensor scale = at::rsqrt(y.square().mean(-1, true) + m_w.norm.eps); // [B, T, H, 1]
    const at::Tensor gate = parts.gate.view(y.sizes());
    const at::Tensor z =
        (y * scale * weight + m_w.norm.bias.to(at::kFloat).view(weight.sizes()) + bonus * parts.v) * gate;
    if (call.wantsMatrix() || (call.capture && call.capture->wantValues)) {
        const at::Tensor size = weight.square().mean(-1, true).sqrt().clamp_min(1e-6); // [H, 1]
        const at::Tensor own = bonus / (scale * size);                                 // D, [B, T, H, 1]
        if (call.wantsMatrix())
            captureRows(parts, own.squeeze(-1), call);
        if (call.capture->wantValues) {
            const at::Tensor values = withoutMean(parts.v), outputs = y + own * values;
            captureValues(values, outputs, call);
            const at::Tensor gain = scale * weight * gate;
            captureGain([&] { return gain.flatten(-2); }, call);
            call.capture->beside = (z - gain * outputs).flatten(-2);
        }
    }
    return projectHeads(z.flatten(-2).to(input.scalar_type()), m_spec.heads, m_w.output, call, rowsOnly);
}

void Rwkv7::captureRows(const Parts& parts, const at::Tensor& own, MixerCall& call) const
{
    const SiteCapture& wanted = *call.capture;
    const auto chosen = [&wanted](const at::Tensor& x) { return chosenHeads(x, wanted.heads); };
    const Rwkv7Terms& t = parts.terms;
    captureMatrix(
        [rows = rwkv7Rows({chosen(t.r), chosen(t.logDecay), chosen(t.k), chosen(t.a), chosen(t.b)}),
         bonus = wanted.convention.withD ? chosen(own.transpose(1, 2)) : at::Tensor()](std::int64_t first,
                                                                                       std::int64_t count) {
            at::Tensor m = rows(first, count);
            if (bonus.defined())
                m.diagonal(first, -2, -1).add_(bonus.narrow(2, first, count));
            return m;
        },
        parts.gate, m_spec.heads, call, Activation::Identity);
}

HeadMaps Rwkv7::headMaps(int head) const
{
    // Through what is read of the own token.
    const auto rows = [head](const Linear& map, std::int64_t width, const at::Tensor& share) {
        return denseOf(map.weight).narrow(0, head * width, width) * (1 - share);
    };
    return {.query = rows(m_w.query, m_spec.state, m_w.shares.query),
            .key = rows(m_w.key, m_spec.state, m_w.shares.key),
            .value = rows(m_w.value, m_spec.headDim, m_w.shares.value),
            .output = inputsOf(m_w.output.weight, std::int64_t{head} * m_spec.headDim, m_spec.headDim)};
}

} // namespace headscope::lm
