// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/ssm.h"

#include "core/lm/device/transfer.h"
#include "core/lm/tree/treemixing.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace headscope::lm {

using interventions::RowMask;

at::Tensor CausalConv::operator()(const at::Tensor& x, at::Tensor* window, const DeviceTree* tree) const
{
    if (tree)
        return convAlongTree(x, weight, bias, activation, *tree);
    if (!window && onFloatKernels(x, weight, bias))
        return convAlongTree(x, weight, bias, activation,
                             DeviceTree(std::make_shared<const TokenTree>(x.size(0), x.size(1)), x.device()));
    const std::int64_t taps = weight.size(2), length = x.size(1);
    at::Tensor before = window ? *window : at::Tensor();
    if (!before.defined())
        before = at::zeros({x.size(0), taps - 1, x.size(2)}, x.options());
    const at::Tensor whole = at::cat({before, x}, 1);
    if (window)
        *window = whole.narrow(1, length, taps - 1).clone(); // a view would keep the whole text alive
    const at::Tensor whole32 = whole.to(at::kFloat), taps32 = weight.to(at::kFloat).squeeze(1); // [C, K]
    at::Tensor y;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
        const at::Tensor part = whole32.narrow(1, tap, length) * taps32.select(1, tap);
        y = y.defined() ? y + part : part;
    }
    if (bias.defined())
        y = y + bias.to(at::kFloat);
    return activate(activation, y).to(x.scalar_type());
}

at::Tensor tokensBefore(const at::Tensor& x, at::Tensor* before, const DeviceTree* tree)
{
    if (tree) { // row N stands for what is before a text
        const at::Tensor rows = at::cat({x[0], at::zeros_like(x[0].narrow(0, 0, 1))});
        return rows.index_select(0, tree->previous().narrow(0, 0, x.size(1))).unsqueeze(0);
    }
    const at::Tensor first = before && before->defined() ? *before : at::zeros_like(x.narrow(1, 0, 1));
    if (before)
        *before = x.narrow(1, x.size(1) - 1, 1).clone(); // a view would keep the whole text alive
    return at::cat({first, x.narrow(1, 0, x.size(1) - 1)}, 1);
}

at::Tensor shiftedBefore(const at::Tensor& x, const at::Tensor& share, at::Tensor* before, const DeviceTree* tree)
{
    return at::lerp(x, tokensBefore(x, before, tree), share);
}

namespace {

/// Rows [first, first + count) of a matrix of `keys` columns.
struct RowRange {
    std::int64_t first, count, keys;
};

// bool [B, count, keys]: which entries of a head the edits name. Positions of the edits are those of the whole text.
at::Tensor maskedEntries(const SiteEdits& edits, int head, const RowRange& rows, std::int64_t offset,
                         std::int64_t batch)
{
    at::Tensor hit = at::zeros({batch, rows.count, rows.keys}, at::kBool);
    const auto clipped = [](std::int64_t first, std::int64_t last, std::int64_t from, std::int64_t count) {
        const std::int64_t begin = std::max(first - from, std::int64_t{0}), end = std::min(last - from + 1, count);
        return std::pair(begin, std::max(end - begin, std::int64_t{0}));
    };
    const auto fill = [&](at::Tensor of, const PositionSpan& queries, const PositionSpan& keys) {
        const auto [q, qCount] = clipped(queries.first - offset, queries.last - offset, rows.first, rows.count);
        const auto [k, kCount] = clipped(keys.first - offset, keys.last - offset, 0, rows.keys);
        if (qCount > 0 && kCount > 0)
            of.narrow(1, q, qCount).narrow(2, k, kCount).fill_(true);
    };
    for (const EntryMask& entry : edits.entries)
        if (entry.head == head && entry.sample < batch)
            fill(entry.sample < 0 ? hit : hit.narrow(0, entry.sample, 1), {entry.query, entry.query},
                 {entry.key, entry.key});
    for (const SpanMask& span : edits.spans)
        if (span.head < 0 || span.head == head)
            fill(hit, span.queries, span.keys);
    return hit;
}

// The rows of this call in which the edits name entries, by head.
std::map<int, std::set<std::int64_t>> maskedQueries(const SiteEdits& edits, std::int64_t heads, std::int64_t length,
                                                    std::int64_t offset)
{
    std::map<int, std::set<std::int64_t>> queries;
    const auto add = [&](int head, const PositionSpan& span, int firstKey) {
        for (std::int64_t q = std::max<std::int64_t>(span.first - offset, 0); q <= span.last - offset && q < length;
             ++q) {
            if (firstKey < offset)
                throw std::runtime_error("An entry of an SSM's matrix cannot be masked when its key is before "
                                         "a state that is continued.");
            queries[head].insert(q);
        }
    };
    for (const EntryMask& entry : edits.entries)
        add(entry.head, {entry.query, entry.query}, entry.key);
    for (const SpanMask& span : edits.spans)
        for (int head = std::max(span.head, 0); head < (span.head < 0 ? heads : span.head + 1); ++head)
            add(head, span.queries, span.keys.first);
    return queries;
}

} // namespace

at::Tensor maskMatrix(const at::Tensor& y, const at::Tensor& values, const MixerCall& call, const MatrixReader& matrix)
{
    if (!call.edits || !call.edits->touchesMatrix())
        return y;
    const SiteEdits& edits = *call.edits;
    const std::int64_t batch = y.size(0), length = y.size(1), offset = call.batch.offset;
    const auto longs = y.options().dtype(at::kLong);
    const at::Tensor last = call.batch.lastPositions.defined() ? call.batch.lastPositions.unsqueeze(1)
                                                               : at::full({batch, 1}, length - 1, longs);
    const at::Tensor isLast = at::arange(length, longs).unsqueeze(0) == last; // [B, T]
    at::Tensor out = y;
    if (edits.lastRow) {
        const at::Tensor own =
            *edits.lastRow == RowMask::Zero ? at::zeros_like(y) : values * matrix.diagonal().unsqueeze(-1);
        out = at::where(isLast.unsqueeze(-1).unsqueeze(-1), own, out);
    }
    for (const auto& [head, queries] : maskedQueries(edits, y.size(2), length, offset))
        for (auto first = queries.begin(); first != queries.end();) {
            auto next = std::next(first); // rows that follow each other are taken together
            while (next != queries.end() && *next == *std::prev(next) + 1)
                ++next;
            const std::int64_t from = *first, count = *std::prev(next) + 1 - from;
            first = next;
            at::Tensor hit = onDevice(maskedEntries(edits, head, {from, count, length}, offset, batch), y.device());
            if (edits.lastRow) { // in a masked last row only its own entry is left to take away
                at::Tensor gone = isLast.narrow(1, from, count).unsqueeze(-1).expand(hit.sizes());
                if (*edits.lastRow != RowMask::Zero)
                    gone = gone.logical_and(at::arange(from, from + count, longs).unsqueeze(-1)
                                            != at::arange(length, longs));
                hit = hit.logical_and(gone.logical_not());
            }
            const at::Tensor lost =
                at::matmul(matrix.rows(head, from, count) * hit, values.select(2, head)); // [B, count, P]
            if (out.is_same(y))
                out = y.clone();
            out.select(2, head).narrow(1, from, count).sub_(lost);
        }
    return out;
}

namespace {

// What the gate of each wanted head lets through: the mean over its channels, [B, h, T, 1].
at::Tensor openings(const at::Tensor& gate, int heads, const std::vector<int>& wanted, Activation activation)
{
    const at::Tensor open = activate(activation, gate.to(at::kFloat)).unflatten(2, {heads, -1}).mean(-1); // [B, T, H]
    return chosenHeads(open.transpose(1, 2), wanted).unsqueeze(-1);
}

// m [B, h, R, T] without what the edits mask. `heads`: which these are; empty: all.
at::Tensor maskedRows(at::Tensor m, const std::vector<int>& heads, const RowRange& rows, const BatchShape& shape,
                      const SiteEdits& edits)
{
    const std::int64_t batch = m.size(0);
    const auto longs = m.options().dtype(at::kLong);
    const at::Tensor query = at::arange(rows.first, rows.first + rows.count, longs), key = at::arange(rows.keys, longs);
    if (edits.lastRow) {
        const at::Tensor last = shape.lastPositions.defined() ? shape.lastPositions.unsqueeze(1)
                                                              : at::full({batch, 1}, rows.keys - 1, longs);
        at::Tensor lost = (query.unsqueeze(0) == last).unsqueeze(1).unsqueeze(-1); // [B, 1, R, 1]
        if (*edits.lastRow != RowMask::Zero)
            lost = lost.logical_and(query.unsqueeze(-1) != key);
        m = m.masked_fill(lost, 0);
    }
    if (edits.entries.empty() && edits.spans.empty())
        return m;
    std::vector<at::Tensor> hits;
    for (std::int64_t i = 0; i < m.size(1); ++i)
        hits.push_back(maskedEntries(edits, static_cast<int>(heads.empty() ? i : heads[static_cast<std::size_t>(i)]),
                                     rows, shape.offset, batch));
    return m.masked_fill(onDevice(at::stack(hits, 1), m.device()), 0);
}

} // namespace

void captureMatrix(const MatrixRows& rows, const at::Tensor& gate, int heads, const MixerCall& call,
                   Activation gateActivation)
{
    SiteCapture& capture = *call.capture;
    const std::int64_t length = gate.size(1);
    const at::Tensor open =
        capture.convention.withGate ? openings(gate, heads, capture.heads, gateActivation) : at::Tensor();
    const MatrixRows edited = [rows, open, length, chosen = capture.heads, shape = call.batch,
                               edits = call.matrixEdits()](std::int64_t first, std::int64_t count) {
        at::Tensor m = rows(first, count);
        if (open.defined())
            m = m * open.narrow(2, first, count);
        return edits ? maskedRows(m, chosen, {first, count, length}, shape, *edits) : m;
    };
    if (capture.wantMatrix)
        capture.matrix = edited(capture.row.value_or(0), capture.row ? 1 : length);
    if (capture.wantRows)
        capture.rows = edited;
}

void captureValues(const at::Tensor& values, const at::Tensor& y, const MixerCall& call)
{
    if (!call.capture || !call.capture->wantValues)
        return;
    call.capture->values = values;
    call.capture->outputs = y;
}

void captureGain(const std::function<at::Tensor()>& gain, const MixerCall& call)
{
    if (call.capture && call.capture->wantValues)
        call.capture->gain = gain();
}

at::Tensor scaleBeforeNorm(const at::Tensor& y, const MixerCall& call)
{
    return call.edits && call.edits->preNormScale.defined()
               ? y * onDevice(call.edits->preNormScale.to(y.scalar_type()), y.device()).unsqueeze(-1)
               : y;
}

at::Tensor projectHeads(const at::Tensor& z, int heads, const Linear& output, MixerCall& call, bool rowsOnly)
{
    if (call.keptZ)
        *call.keptZ = rowsOnly ? gatherRows(z, call.batch.rows) : z;
    if (call.wantsMatrixOnly())
        return at::zeros({z.size(0), z.size(1), output.weight.size(0)}, z.options());
    const at::Tensor edited = editHeads(z, heads, call, false);
    if (call.capture && call.capture->wantZ)
        call.capture->z = edited;
    return output(rowsOnly ? gatherRows(edited, call.batch.rows) : edited);
}

} // namespace headscope::lm
