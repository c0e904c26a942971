// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/knockout.h"

#include <algorithm>

namespace headscope::why {

namespace {

using interventions::PositionSpan;

std::string spanText(const PositionSpan& span)
{
    return std::to_string(span.first) + "-" + std::to_string(span.last);
}

Result<void> checkSpans(const KnockoutSweep& sweep, int length)
{
    for (const PositionSpan& span : {sweep.queries, sweep.keys})
        if (span.first < 0 || span.last < span.first || span.last >= length)
            return inputError("There are no positions " + spanText(span) + " in the prompt; expected 0 to "
                              + std::to_string(length - 1) + ".");
    if (sweep.keys.last >= sweep.queries.first)
        return inputError("The spans " + spanText(sweep.queries) + " and " + spanText(sweep.keys)
                          + " overlap or are not causal; expected keys that end before the queries begin.");
    return {};
}

} // namespace

Result<std::vector<KnockoutWindow>> knockoutSweep(const lm::Model& model, const lm::Edits& base,
                                                  const std::vector<int>& ids, const Metric& metric,
                                                  const KnockoutSweep& sweep, const Control& control)
{
    for (const auto& fits : {check(metric, model), checkSpans(sweep, static_cast<int>(ids.size())),
                             lm::checkSameHeads(base, model.spec())})
        if (!fits.has_value())
            return fits.error();
    if (sweep.width < 1)
        return inputError("A window has " + std::to_string(sweep.width) + " layers; expected at least one.");
    const std::vector<lm::LayerSpec>& layers = model.spec().layers;
    if (sweep.beforeSoftmax && std::ranges::none_of(layers, [](const auto& one) { return one.find(Site::Attention); }))
        return inputError("The model has no attention, where a softmax follows; entries of SSM heads are set to zero "
                          "instead.");
    std::vector<KnockoutWindow> windows;
    for (int middle = 0; middle < base.layerCount; ++middle) {
        const int first = std::max(0, middle - (sweep.width - 1) / 2),
                  last = std::min(base.layerCount - 1, middle + sweep.width / 2);
        lm::Edits edits = base;
        bool any = false;
        for (int layer = first; layer <= last; ++layer)
            for (const lm::MixerSpec& mixer : layers[static_cast<std::size_t>(layer)].mixers) {
                if (const lm::LayerEdits* own = base.find(layer); own && own->skips(mixer.site()))
                    continue;
                const bool before = sweep.beforeSoftmax && mixer.site() == Site::Attention;
                edits.layers[layer].site(mixer.site()).spans.push_back({-1, sweep.queries, sweep.keys, false, before});
                any = true;
            }
        if (!any)
            continue;
        const auto run = record(model, ids, edits, control);
        if (!run.has_value())
            return run.error();
        windows.push_back({first, last, run->difference(metric)});
        control.progress("knocking out", middle + 1, base.layerCount);
    }
    if (windows.empty())
        return inputError(
            "No layer has heads that run under this ablation; expected one that leaves some to knock out.");
    return windows;
}

} // namespace headscope::why
