// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/ssm.h"

#include "core/lm/device/transfer.h"
#include "core/lm/tree/treemixing.h"

#include <set>
#include <stdexcept>
#include <tuple>

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
    std::set<std::tuple<int, int, int, int>> done; // an entry named twice is taken away once
    for (const EntryMask& entry : edits.entries) {
        const std::int64_t query = entry.query - offset, key = entry.key - offset;
        if (query < 0 || query >= length || entry.sample >= batch
            || !done.emplace(entry.sample, entry.head, entry.query, entry.key).second)
            continue;
        if (key < 0)
            throw std::runtime_error(
                "An entry of an SSM's matrix can not be masked when its key lies before a state that is continued.");
        if (entry.sample >= 0 && done.contains({-1, entry.head, entry.query, entry.key}))
            continue;
        at::Tensor hit = at::zeros({batch}, y.options().dtype(at::kBool));
        hit = hit.logical_or(entry.sample < 0 ? at::ones_like(hit) : at::arange(batch, longs) == entry.sample);
        if (entry.sample < 0)
            for (std::int64_t sample = 0; sample < batch; ++sample)
                if (done.contains({static_cast<int>(sample), entry.head, entry.query, entry.key}))
                    hit = hit.logical_and(at::arange(batch, longs) != sample);
        // In a masked last row only its own entry is left to take away.
        if (edits.lastRow && (*edits.lastRow == RowMask::Zero || query != key))
            hit = hit.logical_and(isLast.select(1, query).logical_not());
        const at::Tensor value = at::where(hit, matrix.entry(entry.head, query, key), 0.0).unsqueeze(-1); // [B, 1]
        const at::Tensor lost =
            (value * values.select(1, key).select(1, entry.head)).unsqueeze(1).unsqueeze(1); // [B, 1, 1, P]
        const at::Tensor cell = (at::arange(length, longs) == query).view({1, length, 1, 1})
                                * (at::arange(y.size(2), longs) == entry.head).view({1, 1, y.size(2), 1});
        out = out - lost * cell.to(y.scalar_type());
    }
    return out;
}

at::Tensor editedMatrix(const at::Tensor& matrix, const at::Tensor& gate, int heads, const MixerCall& call)
{
    const SiteCapture& capture = *call.capture;
    const std::int64_t batch = matrix.size(0), length = gate.size(1), first = capture.row.value_or(0),
                       rows = matrix.size(2);
    const auto longs = matrix.options().dtype(at::kLong);
    at::Tensor m = matrix;
    if (capture.convention.withGate) {
        const at::Tensor silu = at::silu(gate.to(at::kFloat)).view({batch, length, heads, -1}).mean(-1); // [B, T, H]
        at::Tensor rowGate = silu.transpose(1, 2).narrow(2, first, rows);
        if (!capture.heads.empty())
            rowGate = rowGate.index_select(
                1, at::tensor(std::vector<std::int64_t>(capture.heads.begin(), capture.heads.end()), longs));
        m = m * rowGate.unsqueeze(-1);
    }
    if (!call.edits || !call.edits->touchesMatrix())
        return m;
    const at::Tensor query = at::arange(first, first + rows, longs), key = at::arange(length, longs);
    if (call.edits->lastRow) {
        const at::Tensor last = call.batch.lastPositions.defined() ? call.batch.lastPositions.unsqueeze(1)
                                                                   : at::full({batch, 1}, length - 1, longs);
        at::Tensor lost = (query.unsqueeze(0) == last).unsqueeze(1).unsqueeze(-1); // [B, 1, R, 1]
        if (*call.edits->lastRow != RowMask::Zero)
            lost = lost.logical_and(query.unsqueeze(-1) != key);
        m = m.masked_fill(lost, 0);
    }
    for (const EntryMask& entry : call.edits->entries)
        for (std::int64_t i = 0; i < m.size(1); ++i) {
            if ((capture.heads.empty() ? i : capture.heads[static_cast<std::size_t>(i)]) != entry.head)
                continue;
            at::Tensor lost = (query == entry.query - call.batch.offset)
                                  .unsqueeze(-1)
                                  .logical_and(key == entry.key - call.batch.offset);
            lost = lost.unsqueeze(0).logical_and((at::arange(batch, longs) == entry.sample)
                                                     .logical_or(at::full({batch}, entry.sample < 0, lost.options()))
                                                     .view({batch, 1, 1}));
            m = m.masked_fill(
                lost.unsqueeze(1).logical_and((at::arange(m.size(1), longs) == i).view({1, m.size(1), 1, 1})), 0);
        }
    return m;
}

void captureValues(const at::Tensor& values, const at::Tensor& y, const MixerCall& call)
{
    if (!call.capture || !call.capture->wantValues)
        return;
    call.capture->values = values;
    call.capture->outputs = y;
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
    const at::Tensor edited = editHeads(z, heads, call, false);
    if (call.capture && call.capture->wantZ)
        call.capture->z = edited;
    return output(rowsOnly ? gatherRows(edited, call.batch.rows) : edited);
}

} // namespace headscope::lm
