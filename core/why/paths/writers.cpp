// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/writers.h"

namespace headscope::why {

namespace {

using Kind = DirectPart::Kind;

} // namespace

Result<void> checkSumOfWrites(const lm::Model& model, const lm::Edits& base)
{
    for (const auto& block : model.parts().blocks)
        if (!block->addsToStream())
            return inputError(
                "Layers of this model do more than add to the "
                "stream, so it is not a sum of head outputs; ablation, patching and the lens can be used.");
    for (const auto& [layer, edits] : base.layers)
        if (model.spec().layers[static_cast<std::size_t>(layer)].mixers.size() > 1
            && edits.skipAttention != edits.skipSsm)
            return inputError("One of the two mixers of layer L" + std::to_string(layer)
                              + " is left out; contributions are defined only where both run or neither does.");
    return lm::checkSameHeads(base, model.spec());
}

Result<Writers> Writers::before(const lm::Model& model, const lm::Edits& base, const Recording& run, int layer,
                                const std::vector<std::int64_t>& positions, const Control& control)
{
    if (const auto adds = checkSumOfWrites(model, base); !adds.has_value())
        return adds.error();
    const at::Tensor chosen = at::tensor(positions, at::kLong).to(model.device());
    const auto rowsOf = [&](const at::Tensor& x) { return x[0].index_select(0, chosen); };
    const LayerRun layers(model, base, run.embedding);
    Writers writers;
    writers.m_embedding = rowsOf(run.embedding);
    for (int one = 0; one <= std::min(layer, run.layers() - 1); ++one) {
        if (control.stopped())
            return cancelledError();
        Layer& kept = writers.m_layers.emplace_back();
        if (const lm::LayerEdits* edits = base.find(one); edits && edits->steers())
            kept.steer = rowsOf(lm::addedBySteering(run.streams[static_cast<std::size_t>(one)], *edits));
        const lm::LayerEdits edits = layers.edits(one);
        if (one == layer || edits.skip)
            continue;
        kept.block = &layers.block(one);
        for (const Site site : interventions::kMixerSites)
            if (const auto z = run.z.find({one, site}); z != run.z.end()) {
                kept.z.site(site) = rowsOf(z->second);
                kept.heads[site == Site::Attention ? 0 : 1] = layers.mixer(one, site).heads;
            }
        if (kept.block->mlpWrites() && !edits.skipMlp)
            kept.mlp = rowsOf(layers.mlpWrite(run.streams[static_cast<std::size_t>(one)], one, edits));
        control.progress("attributing", one + 1, layer);
    }
    return writers;
}

WrittenParts Writers::along(const at::Tensor& rows, const at::Tensor& direction) const
{
    WrittenParts written;
    std::vector<at::Tensor> values; // [n, B]
    const at::Tensor direction64 = direction.to(at::kDouble);
    const auto add = [&](DirectPart part, const at::Tensor& value) {
        written.parts.push_back(part);
        values.push_back(value.to(at::kDouble).unsqueeze(0));
    };
    const auto product = [&](const at::Tensor& x) {
        return (x.index_select(0, rows).to(at::kDouble).narrow(1, 0, direction.size(1)) * direction64).sum(-1);
    };
    add({Kind::Embedding, -1, Site::Any, -1}, product(m_embedding));
    for (int layer = 0; layer < static_cast<int>(m_layers.size()); ++layer) {
        const Layer& kept = m_layers[static_cast<std::size_t>(layer)];
        if (kept.steer.defined())
            add({Kind::Steering, layer, Site::Any, -1}, product(kept.steer));
        if (!kept.block)
            continue;
        lm::HeadOutputs z;
        for (const Site site : interventions::kMixerSites)
            if (kept.z.site(site).defined())
                z.site(site) = kept.z.site(site).index_select(0, rows);
        const lm::HeadsAlong seen = kept.block->headsAlong(z, direction);
        for (const Site site : interventions::kMixerSites) {
            if (!z.site(site).defined())
                continue;
            const at::Tensor& along = seen.along.site(site);
            if (!along.defined()) {
                written.silent.push_back({layer, site});
                continue;
            }
            const int heads = kept.heads[site == Site::Attention ? 0 : 1];
            const at::Tensor byHead =
                (z.site(site).to(at::kDouble) * along.to(at::kDouble)).view({rows.size(0), heads, -1}).sum(-1).t();
            for (int head = 0; head < heads; ++head)
                add({Kind::Head, layer, site, head}, byHead[head]);
        }
        add({Kind::Bias, layer, Site::Any, -1}, seen.constant);
        if (kept.mlp.defined())
            add({Kind::Mlp, layer, Site::Any, -1}, product(kept.mlp));
    }
    written.values = at::cat(values).cpu();
    return written;
}

} // namespace headscope::why
