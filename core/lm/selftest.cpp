// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/selftest.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace headscope::lm {

namespace {

constexpr std::int64_t kPrompt = 9;

std::string scientific(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", value);
    return text;
}

double difference(const at::Tensor& a, const at::Tensor& b)
{
    const double scale = std::max(1.0, b.abs().max().item<double>());
    return (a - b).abs().max().item<double>() / scale;
}

double tolerance(const Model& model)
{
    return model.dtype() == at::kFloat ? 1e-3 : 0.1;
}

SelfCheck rowsSumToOne(const Model& model, const at::Tensor& ids)
{
    Capture capture;
    for (std::size_t layer = 0; layer < model.spec().layers.size(); ++layer)
        if (model.spec().layers[layer].find(Site::Attention))
            capture.sites[{static_cast<int>(layer), Site::Attention}].wantMatrix = true;
    (void)model.logits(ids, {.capture = &capture});
    double worst = 0;
    for (const auto& [where, site] : capture.sites) {
        const MixerSpec& mixer = *model.spec().layers[static_cast<std::size_t>(where.first)].find(Site::Attention);
        const at::Tensor over = site.matrix.sum(-1) - 1; // a sink takes a part of the row
        worst = std::max(worst, (mixer.sinks ? over.clamp_min(0) : over.abs()).max().item<double>());
    }
    return {"attention rows sum to 1", worst < (model.dtype() == at::kFloat ? 1e-4 : 0.05),
            "off by at most " + scientific(worst)};
}

// The matrices of every mixer times what goes into them, against what came out of the chunked scan or the attention.
SelfCheck matricesGiveOutputs(const Model& model, const at::Tensor& ids)
{
    Capture capture;
    for (std::size_t layer = 0; layer < model.spec().layers.size(); ++layer)
        for (const MixerSpec& mixer : model.spec().layers[layer].mixers) {
            SiteCapture& site = capture.sites[{static_cast<int>(layer), mixer.site()}];
            site.wantMatrix = site.wantValues = true;
            site.heads = {0}; // one head shows a wrong formula, and Mamba-1 has thousands
        }
    (void)model.logits(ids, {.capture = &capture});
    double worst = 0;
    for (const auto& [where, site] : capture.sites) {
        const at::Tensor y = at::matmul(site.matrix.select(1, 0), site.values.select(2, 0).to(at::kFloat));
        worst = std::max(worst, difference(y, site.outputs.select(2, 0).to(at::kFloat)));
    }
    return {"matrix equals recurrence", worst < tolerance(model), "relative difference " + scientific(worst)};
}

// How many of the prompt's tokens turn alike in every text; the rest of a longer one is turned by its whole length.
std::int64_t turnedAlike(const Model& model)
{
    const std::int64_t past = model.spec().rotatedByLengthPast;
    return past > 0 ? std::min(kPrompt, past) : kPrompt;
}

bool choosesInHalfPrecision(const Model& model)
{
    const std::vector<LayerSpec>& layers = model.spec().layers;
    return model.dtype() != at::kFloat
           && std::any_of(layers.begin(), layers.end(), [](const LayerSpec& layer) { return layer.experts > 0; });
}

SelfCheck stepsEqualWhole(const Model& model, const at::Tensor& ids)
{
    const std::int64_t length = ids.size(1), first = std::max<std::int64_t>(length - 3, 1);
    const at::Tensor whole = model.logits(ids);
    State state;
    (void)model.logits(ids.narrow(1, 0, first), {.state = &state});
    double drift = 0, least = std::numeric_limits<double>::infinity();
    for (std::int64_t t = first; t < length; ++t) {
        drift = difference(model.logits(ids.narrow(1, t, 1), {.state = &state}).select(1, 0), whole.select(1, t));
        least = std::min(least, drift);
    }
    if (choosesInHalfPrecision(model))
        drift = least; // a rounding more can be another expert for a token, but not for each
    const std::string of = length < kPrompt ? " in a text of " + std::to_string(length)
                                                  + ", the longest whose tokens turn alike at every length"
                                            : "";
    return {"steps equal the whole pass", drift < tolerance(model), "relative difference " + scientific(drift) + of};
}

} // namespace

std::vector<SelfCheck> selfTest(const Model& model)
{
    const at::NoGradGuard noGrad;
    const std::int64_t vocabulary = model.spec().vocabulary;
    const auto options = at::TensorOptions(at::kLong).device(model.device());
    const at::Tensor ids = ((at::arange(kPrompt, options) * 7919 + 13) % vocabulary).unsqueeze(0);
    std::vector<SelfCheck> checks;

    const at::Tensor whole = model.logits(ids);
    const bool finite = at::isfinite(whole).all().item<bool>();
    checks.push_back({"finite logits", finite, finite ? "all finite" : "NaN or infinity in the logits"});

    at::Tensor changed = ids.clone();
    changed[0][kPrompt - 1] = (ids[0][kPrompt - 1] + 1) % vocabulary;
    const double leak = difference(model.logits(changed).narrow(1, 0, kPrompt - 1), whole.narrow(1, 0, kPrompt - 1));
    checks.push_back(
        {"causality", leak < tolerance(model), "a later token moves earlier logits by " + scientific(leak)});

    checks.push_back(stepsEqualWhole(model, ids.narrow(1, 0, turnedAlike(model))));
    checks.push_back(matricesGiveOutputs(model, ids));
    if (std::any_of(model.spec().layers.begin(), model.spec().layers.end(),
                    [](const LayerSpec& layer) { return layer.find(Site::Attention); }))
        checks.push_back(rowsSumToOne(model, ids));
    return checks;
}

} // namespace headscope::lm
