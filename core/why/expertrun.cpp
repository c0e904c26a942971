// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/expertrun.h"

#include "core/why/recording.h"

namespace headscope::why {

namespace {

std::vector<float> onHost(const at::Tensor& values)
{
    const at::Tensor host = values.cpu().contiguous();
    return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

ExpertChoices choicesOf(const lm::Choices& found, int layer, int experts)
{
    const auto [weights, order] = found.weights.to(at::kFloat).sort(-1, true);
    const at::Tensor ids = found.experts.gather(1, order).to(at::kInt).cpu().contiguous();
    ExpertChoices all{.layer = layer, .experts = experts, .chosen = static_cast<int>(ids.size(1))};
    all.ids.assign(ids.data_ptr<int>(), ids.data_ptr<int>() + ids.numel());
    all.weights = onHost(weights);
    if (found.shared.defined())
        all.shared = onHost(found.shared);
    return all;
}

} // namespace

Result<std::vector<ExpertChoices>> expertChoices(const lm::Model& model, const std::vector<int>& ids,
                                                 const lm::Edits& base, const Control& control)
{
    const auto tokens = tokensOf(model, ids);
    if (!tokens.has_value())
        return tokens.error();
    lm::Capture capture;
    capture.wantChoices = true;
    const lm::RunOptions options{.edits = &base, .capture = &capture, .stop = control.stop};
    const at::Tensor embedding = model.embed(*tokens, options);
    if (!model.runLayers(embedding, 0, base.layerCount, embedding, options).defined())
        return cancelledError();
    std::vector<ExpertChoices> all;
    const LayerRun layers(model, base, embedding);
    for (const auto& [layer, found] : capture.choices)
        all.push_back(choicesOf(found, layer, layers.block(layer).experts()->count()));
    if (all.empty())
        return inputError("No layer of this model has experts that run; expected a model for which 'info' lists some.");
    return all;
}

} // namespace headscope::why
