// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/mixer.h"

#include "core/lm/device/transfer.h"

namespace headscope::lm {

at::Tensor gatherRows(const at::Tensor& x, const at::Tensor& rows)
{
    return x.gather(1, rows.unsqueeze(-1).expand({rows.size(0), rows.size(1), x.size(2)}));
}

namespace {

// [B, R, 1, 1] mask that is true where a (kept) position is the sample's last one.
at::Tensor isLast(const at::Tensor& z, const BatchShape& batch, bool rowsOnly)
{
    const auto options = z.options().dtype(at::kLong);
    const at::Tensor positions = rowsOnly ? batch.rows : at::arange(z.size(1), options).unsqueeze(0);
    const at::Tensor last =
        batch.lastPositions.defined() ? batch.lastPositions.unsqueeze(1) : at::full({1, 1}, batch.length - 1, options);
    return (positions == last).unsqueeze(-1).unsqueeze(-1);
}

} // namespace

at::Tensor editHeads(const at::Tensor& z, int heads, const MixerCall& call, bool rowsOnly)
{
    const SiteEdits* edits = call.edits;
    if (!edits || (!edits->scale.defined() && !edits->lastScale.defined() && edits->replace.empty()))
        return z;
    const std::int64_t headDim = z.size(2) / heads;
    at::Tensor split = z.view({z.size(0), z.size(1), heads, headDim});
    const auto last = [&] { return isLast(z, call.batch, rowsOnly); };
    for (const ReplaceHead& replace : edits->replace) {
        at::Tensor value = replace.value;
        if (!value.defined() && replace.resampleSeed && z.size(0) > 1) {
            const auto shift =
                1 + static_cast<std::int64_t>(*replace.resampleSeed % static_cast<std::uint64_t>(z.size(0) - 1));
            value = split.select(2, replace.head).roll(shift, 0);
        } else if (!value.defined())
            value = split.select(2, replace.head).to(at::kFloat).mean(at::IntArrayRef{0, 1}).to(z.scalar_type());
        else if (rowsOnly && value.dim() == 3 && value.size(1) > 1)
            value = gatherRows(value, call.batch.rows);
        at::Tensor here = at::zeros({heads}, z.options().dtype(at::kBool));
        here[replace.head] = true;
        here = here.view({1, 1, heads, 1});
        if (replace.lastOnly)
            here = here.logical_and(last());
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
    return split.reshape(z.sizes());
}

} // namespace headscope::lm
