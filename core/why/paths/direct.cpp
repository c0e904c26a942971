// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/direct.h"

#include "core/lm/along.h"
#include "core/lm/weights/packedweight.h"
#include "core/why/paths/writers.h"

namespace headscope::why {

namespace {

using Kind = DirectPart::Kind;

at::Tensor lastRow(const at::Tensor& x)
{
    return x.select(1, x.size(1) - 1).to(at::kFloat); // [1, D]
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
    if (const auto fits = check(metric, model); !fits.has_value())
        return fits.error();
    const auto writers = Writers::before(model, base, run, run.layers(), {run.length() - 1}, control);
    if (!writers.has_value())
        return writers.error();
    const lm::Along along = metricAlong(model, run, metric);
    DirectAttribution all;
    const double cap = model.parts().logitSoftCap;
    all.capped = cap > 0;
    all.difference = beforeCap(run.logits[metric.answer].item<double>(), cap)
                     - beforeCap(run.logits[metric.distractor].item<double>(), cap);
    WrittenParts written = writers->along(at::zeros({1}, at::kLong).to(model.device()), along.direction);
    all.silent = std::move(written.silent);
    all.parts = std::move(written.parts);
    for (std::size_t i = 0; i < all.parts.size(); ++i)
        all.parts[i].value = written.values.data_ptr<double>()[i];
    all.parts.push_back({Kind::Constant, -1, Site::Any, -1, along.constant[0].item<double>()});
    return all;
}

Result<std::vector<double>> sourceParts(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                        const Metric& metric, const Where& where, int head)
{
    const auto [layer, site] = where;
    if (const auto fits = check(metric, model); !fits.has_value())
        return fits.error();
    if (const auto adds = checkSumOfWrites(model, base); !adds.has_value())
        return adds.error();
    const LayerRun layers(model, base, run.embedding);
    const lm::LayerEdits edits = layers.edits(layer);
    if (edits.site(site).touchesHeads() || edits.site(site).preNormScale.defined())
        return inputError("Heads of layer L" + std::to_string(layer)
                          + " are edited; attribution by token needs a layer whose heads run unmodified.");
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
