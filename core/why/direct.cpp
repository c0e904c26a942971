// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/direct.h"

#include "core/lm/along.h"
#include "core/lm/packedweight.h"

#include <cmath>

namespace headscope::why {

namespace {

using Kind = DirectPart::Kind;

at::Tensor lastRow(const at::Tensor& x)
{
    return x.select(1, x.size(1) - 1).to(at::kFloat); // [1, D]
}

double innerProduct(const at::Tensor& a, const at::Tensor& b)
{
    return (a.to(at::kDouble) * b.to(at::kDouble)).sum().item<double>();
}

// The metric seen from the stream behind the last layer.
lm::Along metricAlong(const lm::Model& model, const Recording& run, const Metric& metric)
{
    const lm::ModelParts& parts = model.parts();
    const at::Tensor rows =
        lm::rowsOf(parts.head.weight, at::tensor({metric.answer, metric.distractor}, at::kLong).to(model.device()));
    const at::Tensor direction =
        ((rows[0].to(at::kFloat) - rows[1].to(at::kFloat)) * parts.logitMultiplier).unsqueeze(0);
    lm::Along along = lm::alongNorm(parts.finalNorm, lastRow(run.streams.back()), direction);
    if (parts.head.bias.defined())
        along.constant =
            along.constant
            + (parts.head.bias[metric.answer].to(at::kFloat) - parts.head.bias[metric.distractor].to(at::kFloat))
                  * parts.logitMultiplier;
    return along;
}

double beforeCap(double logit, double cap)
{
    return cap > 0 ? cap * std::atanh(logit / cap) : logit;
}

lm::HeadOutputs outputsOf(const Recording& run, int layer)
{
    lm::HeadOutputs z;
    for (const Site site : interventions::kMixerSites)
        if (const auto it = run.z.find({layer, site}); it != run.z.end())
            z.site(site) = it->second.select(1, it->second.size(1) - 1); // [1, H*P], as the output projection reads it
    return z;
}

Result<void> checkSkips(const lm::Model& model, const lm::Edits& base)
{
    for (const auto& [layer, edits] : base.layers)
        if (model.spec().layers[static_cast<std::size_t>(layer)].mixers.size() > 1
            && edits.skipAttention != edits.skipSsm)
            return inputError("One of the two mixers of layer L" + std::to_string(layer)
                              + " is left out; what the other writes by itself is told where both run or none.");
    return {};
}

Result<void> checkSum(const lm::Model& model)
{
    for (const auto& block : model.parts().blocks)
        if (!block->addsToStream())
            return inputError("Layers of this model do more to the stream than to add to it, so that the logits are no "
                              "sum of what heads write; ablation, patching and the lens can be used.");
    return {};
}

void addLayer(DirectAttribution& all, const LayerRun& layers, const Recording& run, int layer,
              const at::Tensor& direction)
{
    const at::Tensor& before = run.streams[static_cast<std::size_t>(layer)];
    const lm::LayerEdits edits = layers.edits(layer);
    if (edits.skip)
        return;
    const lm::Block& block = layers.block(layer);
    const lm::HeadsAlong seen = block.headsAlong(outputsOf(run, layer), direction);
    for (const Site site : interventions::kMixerSites) {
        const auto z = run.z.find({layer, site});
        if (z == run.z.end())
            continue;
        const at::Tensor& along = seen.along.site(site);
        if (!along.defined()) {
            all.silent.push_back({layer, site});
            continue;
        }
        const int heads = layers.mixer(layer, site).heads;
        const at::Tensor values =
            (lastRow(z->second).to(at::kDouble) * along.to(at::kDouble)).view({heads, -1}).sum(-1).cpu().contiguous();
        for (int head = 0; head < heads; ++head)
            all.parts.push_back({Kind::Head, layer, site, head, values.data_ptr<double>()[head]});
    }
    all.parts.push_back({Kind::Bias, layer, Site::Any, -1, seen.constant[0].item<double>()});
    if (!block.mlpWrites() || edits.skipMlp)
        return;
    all.parts.push_back(
        {Kind::Mlp, layer, Site::Any, -1, innerProduct(lastRow(layers.mlpWrite(before, layer, edits)), direction)});
}

} // namespace

double DirectAttribution::sum() const
{
    double sum = 0;
    for (const DirectPart& part : parts)
        sum += part.value;
    return sum;
}

Result<DirectAttribution> directAttribution(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                            const Metric& metric, const Control& control)
{
    for (const auto& fits : {check(metric, model), checkSum(model), checkSkips(model, base)})
        if (!fits.has_value())
            return fits.error();
    const lm::Along along = metricAlong(model, run, metric);
    const LayerRun layers(model, base, run.embedding);
    DirectAttribution all;
    const double cap = model.parts().logitSoftCap;
    all.capped = cap > 0;
    all.difference = beforeCap(run.logits[metric.answer].item<double>(), cap)
                     - beforeCap(run.logits[metric.distractor].item<double>(), cap);
    all.parts.push_back({Kind::Embedding, -1, Site::Any, -1, innerProduct(lastRow(run.embedding), along.direction)});
    for (int layer = 0; layer < run.layers(); ++layer) {
        if (control.stopped())
            return cancelledError();
        if (const lm::LayerEdits* edits = base.find(layer); edits && edits->steer.defined())
            all.parts.push_back({Kind::Steering, layer, Site::Any, -1,
                                 innerProduct(edits->steer.to(along.direction.device()), along.direction[0])});
        addLayer(all, layers, run, layer, along.direction);
        control.progress("attributing", layer + 1, run.layers());
    }
    all.parts.push_back({Kind::Constant, -1, Site::Any, -1, along.constant[0].item<double>()});
    return all;
}

Result<std::vector<double>> sourceParts(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                        const Metric& metric, const Where& where, int head)
{
    const auto [layer, site] = where;
    for (const auto& fits : {check(metric, model), checkSum(model), checkSkips(model, base)})
        if (!fits.has_value())
            return fits.error();
    const LayerRun layers(model, base, run.embedding);
    const lm::LayerEdits edits = layers.edits(layer);
    if (edits.site(site).touchesHeads() || edits.site(site).preNormScale.defined())
        return inputError(
            "Heads of layer L" + std::to_string(layer)
            + " are edited; what a head takes from each token is told where its layer's heads run as they are.");
    const lm::HeadsAlong seen =
        layers.block(layer).headsAlong(outputsOf(run, layer), metricAlong(model, run, metric).direction);
    if (!seen.along.site(site).defined())
        return inputError("The heads of layer L" + std::to_string(layer)
                          + " write nothing into the stream themselves: they feed the layer's other mixer.");
    lm::Capture capture;
    lm::SiteCapture& wanted = capture.sites[where];
    wanted.wantMatrix = wanted.wantValues = true;
    wanted.heads = {head};
    wanted.row = static_cast<int>(run.length()) - 1;
    (void)layers.step(run.streams[static_cast<std::size_t>(layer)], layer, edits, &capture);
    const std::int64_t width = layers.mixer(layer, site).headDim;
    at::Tensor direction = seen.along.site(site)[0].narrow(0, head * width, width).to(at::kDouble);
    if (wanted.gain.defined())
        direction =
            direction * wanted.gain[0].select(0, run.length() - 1).narrow(0, head * width, width).to(at::kDouble);
    const at::Tensor values = wanted.values[0].select(1, head).to(at::kDouble);  // [T, P]
    const at::Tensor row = wanted.matrix[0][0][0].to(at::kDouble);               // [T]
    at::Tensor parts = (row * at::matmul(values, direction)).cpu().contiguous(); // [T]
    if (wanted.beside.defined()) {                                               // the own token's
        const at::Tensor along = seen.along.site(site)[0].narrow(0, head * width, width).to(at::kDouble);
        parts[run.length() - 1] +=
            at::dot(wanted.beside[0].select(0, run.length() - 1).narrow(0, head * width, width).to(at::kDouble), along)
                .cpu();
    }
    return std::vector<double>(parts.data_ptr<double>(), parts.data_ptr<double>() + parts.numel());
}

} // namespace headscope::why
