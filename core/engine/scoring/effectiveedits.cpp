// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/effectiveedits.h"

#include <algorithm>

namespace headscope::engine {

namespace {

// Columns of z that the site's edits touch.
std::vector<std::int64_t> touched(const lm::SiteEdits& site, const lm::MixerSpec& mixer)
{
    std::vector<std::int64_t> columns;
    for (int head = 0; head < mixer.heads; ++head) {
        const bool scaled = site.scale.defined() && site.scale[head].item<float>() != 1.0F;
        if (scaled || std::any_of(site.replace.begin(), site.replace.end(), [head](const lm::ReplaceHead& r) {
                return r.head == head;
            }))
            for (int i = 0; i < mixer.headDim; ++i)
                columns.push_back(std::int64_t{head} * mixer.headDim + i);
    }
    return columns;
}

// The edits are linear in z, so what they do to each unit vector of the heads they touch is what they can do at all.
bool changesNothing(const lm::Model& model, int layer, const lm::LayerEdits& edits)
{
    const std::vector<lm::MixerSpec>& mixers = model.spec().layers[static_cast<std::size_t>(layer)].mixers;
    if (edits.expertScale.defined() || mixers.size() != 1 || !model.canResume(layer, &edits))
        return false;
    const lm::MixerSpec& mixer = mixers.front();
    const std::vector<std::int64_t> columns = touched(edits.site(mixer.site()), mixer);
    if (columns.empty())
        return true;
    const auto rows = static_cast<std::int64_t>(columns.size());
    const auto options = at::TensorOptions(model.dtype()).device(model.device());
    const auto stream = options.dtype(model.parts().streamInFp32 ? at::kFloat : model.dtype());
    at::Tensor z = at::zeros({1, rows, std::int64_t{mixer.heads} * mixer.headDim}, options);
    z[0].scatter_(1, at::tensor(columns, at::kLong).to(model.device()).unsqueeze(1), 1.0);
    const auto behind = [&](const lm::LayerEdits* with) { // resume() may write into the stream
        return model.resume(layer, {at::zeros({1, rows, std::int64_t{model.spec().hidden}}, stream), z}, with);
    };
    return at::equal(behind(nullptr), behind(&edits));
}

} // namespace

lm::Edits effectiveEdits(const lm::Model& model, lm::Edits edits)
{
    std::erase_if(edits.layers, [&](const auto& layer) {
        return layer.first < edits.layerCount && changesNothing(model, layer.first, layer.second);
    });
    return edits;
}

} // namespace headscope::engine
