// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/pattern/headnorms.h"

#include "core/engine/tensors.h"

#include <ATen/core/grad_mode.h>

namespace headscope::engine {

using interventions::HeadRef;

namespace {

Result<void> run(const lm::Model& model, const std::vector<int>& ids, const PatternOptions& options, int layers,
                 lm::Capture& capture, const lm::DonorLoader& donors, const Control& control)
{
    if (const auto fits = checkPrompt(model, ids, options.ablation); !fits.has_value())
        return fits.error();
    const auto edits = lm::resolve(options.ablation, model.spec(), donors);
    if (!edits.has_value())
        return edits.error();
    const at::Tensor embedding = model.embed(idTensor(model, ids), {});
    const at::Tensor stream = model.runLayers(embedding, 0, std::min(layers, edits->layerCount), embedding,
                                              {.edits = &*edits, .capture = &capture, .stop = control.stop});
    return stream.defined() ? Result<void>() : Result<void>(cancelledError());
}

} // namespace

Result<std::vector<HeadNorm>> outputNorms(const lm::Model& model, const std::vector<int>& ids,
                                          const PatternOptions& options, const lm::DonorLoader& donors,
                                          const Control& control)
{
    const at::NoGradGuard noGrad;
    const lm::ModelSpec& spec = model.spec();
    lm::Capture capture;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[layer].mixers)
            capture.sites[{static_cast<int>(layer), mixer.site()}].wantZ = true;
    if (const auto ran = run(model, ids, options, static_cast<int>(spec.layers.size()), capture, donors, control);
        !ran.has_value())
        return ran.error();
    std::vector<HeadNorm> norms;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[layer].mixers) {
            const at::Tensor& z = capture.sites[{static_cast<int>(layer), mixer.site()}].z; // [1, T, H*P]
            if (!z.defined())
                continue;
            const at::Tensor last = z.select(1, z.size(1) - 1).to(at::kFloat).view({mixer.heads, -1}).norm(2, 1).cpu();
            const lm::Site site = spec.layers[layer].mixers.size() > 1 ? mixer.site() : lm::Site::Any;
            for (int head = 0; head < mixer.heads; ++head)
                norms.push_back(
                    {{static_cast<int>(layer), site, head}, static_cast<double>(last.data_ptr<float>()[head])});
        }
    return norms;
}

Result<std::vector<float>> valueNorms(const lm::Model& model, const std::vector<int>& ids, const HeadRef& head,
                                      const PatternOptions& options, const lm::DonorLoader& donors,
                                      const Control& control)
{
    const at::NoGradGuard noGrad;
    const auto mixer = lm::findMixer(model.spec(), head);
    if (!mixer.has_value())
        return mixer.error();
    lm::Capture capture;
    lm::SiteCapture& site = capture.sites[{head.layer, (*mixer)->site()}];
    site.wantValues = true;
    if (const auto ran = run(model, ids, options, head.layer + 1, capture, donors, control); !ran.has_value())
        return ran.error();
    if (!site.values.defined())
        return inputError("The mixer of " + toText(head) + " does not run under this ablation, so it has no values.");
    const at::Tensor norms = site.values[0].select(1, head.head).norm(2, 1).to(at::kFloat).cpu().contiguous(); // [T]
    return std::vector<float>(norms.data_ptr<float>(), norms.data_ptr<float>() + norms.numel());
}

bool isPruned(const lm::Model& model, const HeadRef& head)
{
    const auto mixer = lm::findMixer(model.spec(), head);
    return mixer.has_value()
           && lm::isPruned(*model.parts().blocks[static_cast<std::size_t>(head.layer)], (*mixer)->site(), head.head);
}

} // namespace headscope::engine
