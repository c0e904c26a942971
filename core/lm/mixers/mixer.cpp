// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mixer.h"

#include "core/lm/device/transfer.h"

namespace headscope::lm {

at::Tensor chosenHeads(const at::Tensor& x, const std::vector<int>& heads, std::int64_t dimension)
{
    const std::vector<std::int64_t> chosen(heads.begin(), heads.end());
    return chosen.empty() ? x : x.index_select(dimension, onDevice(at::tensor(chosen, at::kLong), x.device()));
}

at::Tensor gatherRows(const at::Tensor& x, const at::Tensor& rows)
{
    return x.gather(1, rows.unsqueeze(-1).expand({rows.size(0), rows.size(1), x.size(2)}));
}

namespace {

// int64 [B or 1, R]: positions of z in this call.
at::Tensor positionsOf(const at::Tensor& z, const BatchShape& batch, bool rowsOnly)
{
    return rowsOnly ? batch.rows : at::arange(z.size(1), z.options().dtype(at::kLong)).unsqueeze(0);
}

// [B, R, 1, 1] mask that is true where a (kept) position is the sample's last one.
at::Tensor isLast(const at::Tensor& z, const BatchShape& batch, bool rowsOnly)
{
    const at::Tensor positions = positionsOf(z, batch, rowsOnly);
    const at::Tensor last = batch.lastPositions.defined() ? batch.lastPositions.unsqueeze(1)
                                                          : at::full({1, 1}, batch.length - 1, positions.options());
    return (positions == last).unsqueeze(-1).unsqueeze(-1);
}

// The same for the positions of a span of the whole text.
at::Tensor isWithin(const PositionSpan& span, const at::Tensor& z, const BatchShape& batch, bool rowsOnly)
{
    const at::Tensor positions = positionsOf(z, batch, rowsOnly) + batch.offset;
    return (positions >= span.first).logical_and(positions <= span.last).unsqueeze(-1).unsqueeze(-1);
}

// split: [B, R, H, P]
at::Tensor patched(const at::Tensor& split, const HeadPatch& patch, const BatchShape& batch, bool rowsOnly)
{
    const auto chosen = [&](const at::Tensor& x) { return rowsOnly && x.size(1) > 1 ? gatherRows(x, batch.rows) : x; };
    const at::Tensor value = chosen(patch.value.expand({split.size(0), -1, -1}));
    const at::Tensor where = chosen(patch.where.expand({split.size(0), -1, -1}));
    return at::where(where.unsqueeze(-1),
                     value.to(split.scalar_type()).view({value.size(0), value.size(1), split.size(2), split.size(3)}),
                     split);
}

} // namespace

at::Tensor chosenColumns(const at::Tensor& own, const at::Tensor& other,
                         const std::vector<std::pair<unsigned, std::int64_t>>& layout, unsigned parts)
{
    std::vector<at::Tensor> columns;
    std::int64_t from = 0;
    for (const auto& [part, width] : layout) {
        columns.push_back(((parts & part) != 0 ? other : own).narrow(-1, from, width));
        from += width;
    }
    return at::cat(columns, -1);
}

// Per sample: what else runs in the same batch decides nothing.
at::Tensor meanOf(const at::Tensor& output, const ReplaceHead& replace)
{
    if (replace.held && replace.held->defined())
        return *replace.held;
    const at::Tensor mean = output.to(at::kFloat).mean(1, true).to(output.scalar_type());
    if (replace.held)
        *replace.held = mean;
    return mean;
}

at::Tensor editHeads(const at::Tensor& z, int heads, const MixerCall& call, bool rowsOnly)
{
    const SiteEdits* edits = call.edits;
    if (!edits || !edits->touchesHeads())
        return z;
    const std::int64_t headDim = z.size(2) / heads;
    at::Tensor split = z.view({z.size(0), z.size(1), heads, headDim});
    const auto last = [&] { return isLast(z, call.batch, rowsOnly); };
    for (const ReplaceHead& replace : edits->replace) {
        at::Tensor value = replace.value;
        if (!value.defined())
            value = meanOf(split.select(2, replace.head), replace);
        else if (rowsOnly && value.dim() == 3 && value.size(1) > 1)
            value = gatherRows(value, call.batch.rows);
        at::Tensor here = at::zeros({heads}, z.options().dtype(at::kBool));
        here[replace.head] = true;
        here = here.view({1, 1, heads, 1});
        if (replace.lastOnly)
            here = here.logical_and(last());
        if (replace.span)
            here = here.logical_and(isWithin(*replace.span, z, call.batch, rowsOnly));
        split = at::where(here, value.to(z.scalar_type()).unsqueeze(-2), split);
    }
    if (edits->scale.defined()) {
        const at::Tensor scale = onDevice(edits->scale.to(z.scalar_type()), z.device());
        split = split
                * (scale.dim() == 3   ? (rowsOnly ? gatherRows(scale, call.batch.rows) : scale).unsqueeze(-1)
                   : scale.dim() == 2 ? scale.view({scale.size(0), 1, heads, 1})
                                      : scale.view({1, 1, heads, 1}));
    }
    if (edits->lastScale.defined())
        split = at::where(
            last(), split * onDevice(edits->lastScale.to(z.scalar_type()), z.device()).view({1, 1, heads, 1}), split);
    for (const auto& [span, scale] : edits->spanScales)
        split = at::where(isWithin(span, z, call.batch, rowsOnly),
                          split * onDevice(scale.to(z.scalar_type()), z.device()).view({1, 1, heads, 1}), split);
    if (edits->patch.value.defined())
        split = patched(split, edits->patch, call.batch, rowsOnly);
    return split.reshape(z.sizes());
}

} // namespace headscope::lm
