// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/expertchoices.h"

#include "core/lm/block.h"

namespace headscope::why {

namespace {

ExpertChoices choicesOf(const lm::Choices& found, int layer, int experts)
{
    const auto [weights, order] = found.weights.to(at::kFloat).sort(-1, true);
    const at::Tensor ids = found.experts.gather(1, order).to(at::kInt).cpu().contiguous(),
                     values = weights.cpu().contiguous();
    ExpertChoices all{.layer = layer, .experts = experts, .chosen = static_cast<int>(ids.size(1))};
    all.ids.assign(ids.data_ptr<int>(), ids.data_ptr<int>() + ids.numel());
    all.weights.assign(values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
    return all;
}

} // namespace

Result<std::vector<ExpertChoices>> expertChoices(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                                 const Control& control)
{
    std::vector<ExpertChoices> all;
    const LayerRun layers(model, base, run.embedding);
    for (int layer = 0; layer < base.layerCount; ++layer) {
        const lm::LayerSpec& spec = model.spec().layers[static_cast<std::size_t>(layer)];
        const lm::LayerEdits edits = layers.edits(layer);
        if (control.stopped())
            return cancelledError();
        if (spec.experts == 0 || edits.skip || edits.skipMlp)
            continue;
        const at::Tensor& stream = run.streams[static_cast<std::size_t>(layer)];
        const lm::BatchShape batch{0, {}, {}, stream.size(1), nullptr};
        lm::Choices found;
        lm::BlockCall call{.batch = batch, .edits = &edits, .embedding = run.embedding, .choices = &found};
        (void)layers.block(layer).forward(stream, call);
        if (found.experts.defined())
            all.push_back(choicesOf(found, layer, spec.experts));
        control.progress("experts", layer + 1, base.layerCount);
    }
    if (all.empty())
        return inputError("No layer of this model has experts that run; expected a model for which 'info' lists some.");
    return all;
}

} // namespace headscope::why
