// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/pattern/patterns.h"

#include "core/engine/tensors.h"
#include "core/interventions/positions.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::engine {

using interventions::HeadRef;

Result<void> checkPrompt(const lm::Model& model, const std::vector<int>& ids, const interventions::InterventionSet& set)
{
    const lm::ModelSpec& spec = model.spec();
    if (ids.empty())
        return inputError("The prompt is empty; expected at least one token.");
    if (spec.maxPositions > 0 && static_cast<int>(ids.size()) > spec.maxPositions)
        return inputError("The prompt has " + std::to_string(ids.size()) + " tokens; the model allows "
                          + std::to_string(spec.maxPositions) + ".");
    const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
    if (*low < 0 || *high >= spec.vocabulary)
        return inputError("The prompt contains the token id " + std::to_string(*low < 0 ? *low : *high)
                          + "; the model has ids 0 to " + std::to_string(spec.vocabulary - 1) + ".");
    return interventions::checkPositions(set, static_cast<int>(ids.size()));
}

Result<std::vector<HeadPattern>> patterns(const lm::Model& model, const std::vector<int>& ids,
                                          const std::vector<HeadRef>& heads, const PatternOptions& options,
                                          const lm::DonorLoader& donors, const Control& control)
{
    const at::NoGradGuard noGrad;
    if (const auto fits = checkPrompt(model, ids, options.ablation); !fits.has_value())
        return fits.error();
    const auto edits = lm::resolve(options.ablation, model.spec(), donors);
    if (!edits.has_value())
        return edits.error();

    // 1. Which heads of which mixers; the run ends after the last layer that is asked for.
    std::vector<HeadRef> wanted;
    lm::Capture capture;
    int lastLayer = -1;
    for (const HeadRef& head : heads) {
        const auto mixer = lm::findMixer(model.spec(), head);
        if (!mixer.has_value())
            return mixer.error();
        if (const auto same = lm::checkSameHeads(*edits, model.spec(), head.layer); !same.has_value())
            return same.error();
        if (head.layer >= edits->layerCount)
            return inputError("The layer of " + toText(head) + " is not run under this ablation; it ends with layer L"
                              + std::to_string(edits->layerCount - 1) + ".");
        lastLayer = std::max(lastLayer, head.layer);
        lm::SiteCapture& site = capture.sites[{head.layer, (*mixer)->site()}];
        site.wantMatrix = true;
        site.convention = options.convention;
        site.row = options.row;
        const int first = head.head < 0 ? 0 : head.head, last = head.head < 0 ? (*mixer)->heads - 1 : head.head;
        for (int h = first; h <= last; ++h) {
            wanted.push_back({head.layer, head.site, h});
            if (std::find(site.heads.begin(), site.heads.end(), h) == site.heads.end())
                site.heads.push_back(h);
        }
    }
    if (options.row && (*options.row < 0 || *options.row >= static_cast<int>(ids.size())))
        return inputError("There is no row " + std::to_string(*options.row) + "; the prompt has "
                          + std::to_string(ids.size()) + " tokens.");

    // 2. One run, then only the wanted matrices leave the device.
    const at::Tensor embedding = model.embed(idTensor(model, ids), {});
    const at::Tensor stream = model.runLayers(embedding, 0, lastLayer + 1, embedding,
                                              {.edits = &*edits, .capture = &capture, .stop = control.stop});
    if (!stream.defined())
        return cancelledError();
    std::vector<HeadPattern> result;
    for (const HeadRef& head : wanted) {
        const auto mixer = lm::findMixer(model.spec(), head);
        const lm::SiteCapture& site = capture.sites[{head.layer, (*mixer)->site()}];
        if (!site.matrix.defined())
            return inputError("The mixer of " + toText(head) + " is skipped under this ablation and has no pattern.");
        const auto place = std::find(site.heads.begin(), site.heads.end(), head.head) - site.heads.begin();
        result.push_back({head, toMatrix(site.matrix[0][place])});
    }
    return result;
}

std::vector<NextToken> likeliest(const at::Tensor& logits, int count)
{
    const at::Tensor probabilities = at::softmax(logits.to(at::kFloat), -1);
    const auto [values, indices] = probabilities.topk(std::min<std::int64_t>(count, probabilities.size(0)));
    const at::Tensor hostValues = values.cpu(), hostIndices = indices.cpu();
    std::vector<NextToken> tokens;
    for (std::int64_t i = 0; i < hostValues.size(0); ++i)
        tokens.push_back({static_cast<int>(hostIndices[i].item<std::int64_t>()), hostValues[i].item<double>()});
    return tokens;
}

Result<std::vector<NextToken>> nextTokens(const lm::Model& model, const std::vector<int>& ids,
                                          const interventions::InterventionSet& ablation, const lm::DonorLoader& donors,
                                          int count)
{
    const at::NoGradGuard noGrad;
    if (const auto fits = checkPrompt(model, ids, ablation); !fits.has_value())
        return fits.error();
    const auto edits = lm::resolve(ablation, model.spec(), donors);
    if (!edits.has_value())
        return edits.error();
    lm::RunOptions run{.edits = &*edits};
    run.rows = at::full({1, 1}, static_cast<std::int64_t>(ids.size()) - 1,
                        at::TensorOptions(at::kLong).device(model.device()));
    return likeliest(model.logits(idTensor(model, ids), run)[0][0], count);
}

} // namespace headscope::engine
