// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns of attention: of a tile, and of the rows that are asked for of a long text; what queries do not see, and
// what edits take away.
#include "core/lm/mixers/attentiontiles.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope::lm {

namespace {

// Query rows are taken in tiles so that B x H x rows x keys stays near this many numbers; a tile only reads the keys it
// can see, which also halves the work of a causal product.
constexpr std::int64_t kTileScores = std::int64_t{1} << 24;

double lowestOf(at::ScalarType dtype)
{
    return dtype == at::kHalf       ? static_cast<double>(std::numeric_limits<at::Half>::lowest())
           : dtype == at::kBFloat16 ? static_cast<double>(std::numeric_limits<at::BFloat16>::lowest())
                                    : std::numeric_limits<float>::lowest();
}

// 0 where not hidden, the dtype's lowest value where it is. hidden: [B or 1, R, keys]; returns [B or 1, 1, R, keys].
at::Tensor maskOf(const at::Tensor& hidden, at::ScalarType dtype)
{
    return at::zeros(hidden.sizes(), hidden.options().dtype(dtype)).masked_fill(hidden, lowestOf(dtype)).unsqueeze(1);
}

// The keys that are hidden from queries at `positions` [B or 1, R]: bool [B or 1, R, keys].
at::Tensor hiddenKeys(const at::Tensor& positions, std::int64_t keys, int window)
{
    const at::Tensor key = at::arange(keys, positions.options());
    const at::Tensor query = positions.unsqueeze(-1);
    at::Tensor hidden = key > query;
    if (window > 0)
        hidden = hidden.logical_or(key <= query - window);
    return hidden;
}

// The same for texts beside each other in groups. visible: bool [G, R, keys]; positions: [G, T], of which the queries'
// begin at `first`.
at::Tensor hiddenInGroups(const at::Tensor& visible, const at::Tensor& positions, std::int64_t first, int window)
{
    at::Tensor hidden = visible.logical_not();
    if (window > 0) {
        const at::Tensor key = positions.narrow(1, 0, visible.size(2)).unsqueeze(1),
                         query = positions.narrow(1, first, visible.size(1)).unsqueeze(2);
        hidden = hidden.logical_or(key <= query - window);
    }
    return hidden;
}

// Where spans hide keys from queries: bool [1 or B, H, r, keys]. `positions` [1 or B, r].
at::Tensor spansHit(const std::vector<const SpanMask*>& spans, const at::Tensor& positions, std::int64_t heads,
                    std::int64_t keys)
{
    const at::Tensor key = at::arange(keys, positions.options());
    const auto within = [](const at::Tensor& x, const PositionSpan& span) {
        return (x >= span.first).logical_and(x <= span.last);
    };
    at::Tensor hit =
        at::zeros({positions.size(0), heads, positions.size(1), keys}, positions.options().dtype(at::kBool));
    for (const SpanMask* span : spans) {
        const at::Tensor cells =
            within(positions, span->queries).unsqueeze(-1).logical_and(within(key, span->keys)).unsqueeze(1);
        at::Tensor part = span->head < 0 ? hit : hit.narrow(1, span->head, 1);
        part.logical_or_(cells);
    }
    return hit;
}

std::vector<const SpanMask*> spansOf(const SiteEdits& edits, bool beforeSoftmax)
{
    std::vector<const SpanMask*> spans;
    for (const SpanMask& span : edits.spans)
        if (span.beforeSoftmax == beforeSoftmax)
            spans.push_back(&span);
    return spans;
}

// Hides keys before the softmax. scores: [B, H, r, keys], what is hidden already at the dtype's lowest value.
at::Tensor knockedOut(const at::Tensor& scores, const at::Tensor& hit, at::ScalarType type)
{
    const at::Tensor hidden = hit.logical_or(scores <= lowestOf(scores.scalar_type()) / 2);
    const at::Tensor readsNothing = hidden.all(-1, true);
    const at::Tensor left =
        scores.masked_fill(hidden.logical_and(readsNothing.logical_not()), -std::numeric_limits<double>::infinity());
    return at::softmax(left, -1, type).masked_fill(readsNothing, 0);
}

// What of a row is left beside the sinks [H]: the softmax over the keys alone times this is that over keys and sink.
at::Tensor shareOfKeys(const at::Tensor& scores, const at::Tensor& sinks)
{
    return at::sigmoid(at::logsumexp(scores.to(at::kFloat), -1, true) - sinks.to(at::kFloat).view({1, -1, 1, 1}));
}

// Zeroes or keeps entries of p [B, H, r, keys] as the site's edits say. `positions` [1 or B, r].
at::Tensor maskPattern(at::Tensor p, const SiteEdits& edits, const at::Tensor& positions, const at::Tensor& last)
{
    const std::int64_t keys = p.size(3);
    const at::Tensor keyIndex = at::arange(keys, positions.options());
    if (edits.lastRow) {
        const at::Tensor row = (positions == last).unsqueeze(1).unsqueeze(-1);     // [B, 1, r, 1]
        const at::Tensor own = (keyIndex == positions.unsqueeze(-1)).unsqueeze(1); // [B or 1, 1, r, keys]
        at::Tensor replacement = at::zeros_like(p);
        if (*edits.lastRow == interventions::RowMask::Self)
            replacement = at::where(own, p, replacement);
        else if (*edits.lastRow == interventions::RowMask::SelfRenormalise)
            replacement = own.expand_as(p).to(p.scalar_type());
        p = at::where(row, replacement, p);
    }
    const std::vector<const SpanMask*> spans = spansOf(edits, false);
    if (edits.entries.empty() && spans.empty())
        return p;
    at::Tensor hit = spansHit(spans, positions, p.size(1), keys).expand(p.sizes()).clone();
    at::Tensor renormalise = at::zeros({p.size(0), p.size(1), p.size(2), 1}, hit.options());
    for (const SpanMask* span : spans)
        if (span->renormalise)
            renormalise.logical_or_(spansHit({span}, positions, p.size(1), keys).any(-1, true));
    for (const EntryMask& entry : edits.entries) {
        if (entry.key >= keys)
            continue;
        at::Tensor rowHit = (positions == entry.query).expand({p.size(0), p.size(2)}); // [B, r]
        if (entry.sample >= 0) {
            at::Tensor sample = at::zeros({p.size(0), 1}, rowHit.options());
            if (entry.sample < p.size(0))
                sample[entry.sample] = true;
            rowHit = rowHit.logical_and(sample);
        }
        at::Tensor cell = hit.select(1, entry.head).select(2, entry.key); // a view: [B, r]
        cell.logical_or_(rowHit);
        if (entry.renormalise)
            renormalise.select(1, entry.head).select(2, 0).logical_or_(rowHit);
    }
    p = p.masked_fill(hit, 0);
    return at::where(renormalise, p / p.sum(-1, true), p);
}

} // namespace

std::int64_t AttentionTiles::step() const
{
    const std::int64_t perRow = std::max<std::int64_t>(1, q.size(0) * q.size(1) * k.size(2));
    return std::min(std::max<std::int64_t>(kTileScores / perRow, 16), q.size(2));
}

at::Tensor AttentionTiles::hidden(std::int64_t begin, std::int64_t count, std::int64_t keys) const
{
    return visible.defined()
               ? hiddenInGroups(visible.narrow(1, begin, count).narrow(2, 0, keys), positions, begin, rule.window)
               : hiddenKeys(positions.narrow(1, begin, count), keys, rule.window);
}

at::Tensor AttentionTiles::pattern(std::int64_t begin, std::int64_t end, const MixerCall& call, bool chosenRows) const
{
    const std::int64_t batch = q.size(0), count = end - begin, heads = q.size(1), kvHeads = k.size(1),
                       group = heads / kvHeads;
    const std::int64_t headDim = q.size(3);
    // Whole sequences: the tile's last query sees keys up to its own position. Chosen rows can be anywhere.
    const std::int64_t keys = chosenRows ? k.size(2) : call.batch.offset + end;
    const at::Tensor queries = positions.narrow(1, begin, count);
    const at::Tensor seen = k.narrow(2, 0, keys);

    // Queries that share keys are stacked as rows, so grouped attention needs no copy of the keys.
    at::Tensor qFlat = q.narrow(2, begin, count).reshape({batch * kvHeads, group * count, headDim});
    const at::Tensor kFlat = seen.reshape({batch * kvHeads, keys, headDim});
    const bool forGradient = at::GradMode::is_enabled() && q.requires_grad(); // which would scale them again
    if (forGradient)
        qFlat = qFlat * rule.scale;
    at::Tensor scores = at::bmm(qFlat, kFlat.transpose(1, 2)).view({batch, heads, count, keys});
    if (!forGradient)
        scores.mul_(rule.scale);
    if (rule.softCap > 0)
        scores = at::tanh(scores / rule.softCap) * rule.softCap;
    if (bias.defined())
        scores = scores + bias.narrow(3, 0, keys);
    const bool seesAll = count == 1 && !chosenRows
                         && (rule.window == 0 || keys <= rule.window); // the last token of a text that is written on
    if (!seesAll)
        scores = scores + maskOf(hidden(begin, count, keys), scores.scalar_type());
    const at::ScalarType softmaxType = rule.softmaxInFp32 ? at::kFloat : scores.scalar_type();
    const auto knocks = call.edits ? spansOf(*call.edits, true) : std::vector<const SpanMask*>();
    at::Tensor p = knocks.empty() ? at::softmax(scores, -1, softmaxType)
                                  : knockedOut(scores, spansHit(knocks, queries, heads, keys), softmaxType);
    if (sinks.defined())
        p = p * shareOfKeys(scores, sinks).to(p.scalar_type());
    p = p.to(q.scalar_type());
    return call.edits && call.edits->touchesMatrix() ? maskPattern(p, *call.edits, queries, last) : p;
}

at::Tensor AttentionTiles::outputs(std::int64_t begin, std::int64_t end, MixerCall& call, bool chosenRows) const
{
    const at::Tensor p = pattern(begin, end, call, chosenRows);
    const std::int64_t batch = p.size(0), heads = p.size(1), count = p.size(2), keys = p.size(3), kvHeads = k.size(1),
                       group = heads / kvHeads;
    if (call.capture && call.capture->wantMatrix) {
        SiteCapture& capture = *call.capture;
        const at::Tensor wanted = chosenHeads(p, capture.heads);
        const std::int64_t wantedBegin = capture.row.value_or(0);
        const std::int64_t wantedEnd = capture.row ? wantedBegin + 1 : q.size(2);
        const std::int64_t total = k.size(2);
        if (!capture.matrix.defined())
            capture.matrix =
                at::zeros({batch, wanted.size(1), wantedEnd - wantedBegin, total}, wanted.options().dtype(at::kFloat));
        const std::int64_t from = std::max(begin, wantedBegin), to = std::min(end, wantedEnd);
        if (from < to)
            capture.matrix.narrow(2, from - wantedBegin, to - from)
                .narrow(3, 0, keys)
                .copy_(wanted.narrow(2, from - begin, to - from));
    }
    const at::Tensor vFlat = v.narrow(2, 0, keys).reshape({batch * kvHeads, keys, v.size(3)});
    return at::bmm(p.view({batch * kvHeads, group * count, keys}), vFlat).view({batch, heads, count, -1});
}

MatrixRows AttentionTiles::rows(const MixerCall& call) const
{
    AttentionTiles own = *this;
    own.v = at::Tensor();
    std::vector<int> chosen = call.capture->heads; // what is left to be chosen of a tile
    if (!chosen.empty() && !(call.edits && call.edits->touchesMatrix())) {
        std::vector<int> shared; // keys
        for (const int head : chosen)
            shared.push_back(static_cast<int>(head / (q.size(1) / k.size(1))));
        own.q = chosenHeads(q, chosen);
        own.k = chosenHeads(k, shared);
        own.sinks = sinks.defined() ? chosenHeads(sinks, chosen, 0) : sinks;
        own.bias = bias.defined() ? chosenHeads(bias, chosen) : bias;
        chosen.clear();
    }
    return [own = std::move(own), chosen = std::move(chosen), shape = call.batch,
            edits = call.matrixEdits()](std::int64_t first, std::int64_t count) {
        const MixerCall plain{shape, edits ? &*edits : nullptr};
        std::vector<at::Tensor> tiles;
        for (std::int64_t begin = first, step = own.step(); begin < first + count; begin += step) {
            const at::Tensor p = chosenHeads(own.pattern(begin, std::min(first + count, begin + step), plain), chosen);
            tiles.push_back(at::constant_pad_nd(p.to(at::kFloat), {0, own.k.size(2) - p.size(3)}));
        }
        return tiles.size() == 1 ? tiles.front() : at::cat(tiles, 2);
    };
}

} // namespace headscope::lm
