// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainingreport.h"

#include "core/train/printedtext.h"

#include <algorithm>

namespace headscope::train {

namespace {

bool contains(const std::vector<HeadId>& heads, HeadId head)
{
    return std::find(heads.begin(), heads.end(), head) != heads.end();
}

bool attends(const Network& network, int layer)
{
    return network.shape().layers[static_cast<std::size_t>(layer)] == 'A';
}

Scores evaluateWithout(const Network& network, const std::vector<HeadId>& heads, int prompts)
{
    HeadScales scales = fullScales(network);
    for (const HeadId head : heads)
        scales[head.layer][head.head] = 0.0F;
    return evaluate(network, scales, prompts);
}

// Sorts the heads without which KV8 fails into their roles.
void findRoles(ModelReport& report, const Network& network)
{
    const auto needed = [&](const HeadRow& row) { return report.base.kv8 - row.scores.kv8 > 0.5 * report.base.kv8; };
    for (const HeadRow& row : report.heads) {
        const HeadBehaviour& b = row.behaviour;
        if (attends(network, b.head.layer) ? b.massOnTarget > 0.5 : b.argMaxOnTarget > 0.5 && needed(row))
            report.aggregating.push_back(b.head);
    }
    int last = -1;
    for (const HeadId head : report.aggregating)
        last = std::max(last, head.layer);
    for (const HeadRow& row : report.heads) {
        const HeadBehaviour& b = row.behaviour;
        if (contains(report.aggregating, b.head) || !needed(row))
            continue;
        const bool gathers = b.head.layer < last && b.massOnKey > (attends(network, b.head.layer) ? 0.5 : 0.2);
        (gathers ? report.gathering : report.preparing).push_back(b.head);
    }
}

} // namespace

Result<ModelReport> measureModel(const Network& network, int prompts, const Control& control)
{
    ModelReport report;
    report.layers = network.shape().layers;
    report.headsPerLayer = network.shape().heads;
    report.base = evaluate(network, fullScales(network), prompts);
    const std::vector<HeadBehaviour> all = behaviours(network, prompts);
    std::int64_t done = 0;
    for (const HeadBehaviour& behaviour : all) {
        if (control.stopped())
            return cancelledError();
        const HeadId head = behaviour.head;
        // An erased head has no output; nothing can change without it.
        if (network.outputSlices(head.layer).select(1, head.head).abs().max().item<float>() > 0.0F)
            report.heads.push_back({behaviour, evaluateWithout(network, {head}, prompts)});
        control.progress("measuring heads", ++done, static_cast<std::int64_t>(all.size()));
    }
    std::stable_sort(report.heads.begin(), report.heads.end(),
                     [](const HeadRow& a, const HeadRow& b) { return a.scores.kv8 < b.scores.kv8; });
    findRoles(report, network);

    report.withoutAggregating = evaluateWithout(network, report.aggregating, prompts);
    std::vector<HeadId> attention;
    for (int layer = 0; layer < network.layerCount(); ++layer) {
        if (control.stopped())
            return cancelledError();
        LayerRow row;
        for (const HeadRow& head : report.heads)
            if (head.behaviour.head.layer == layer)
                row.heads.push_back(head.behaviour.head);
        std::sort(row.heads.begin(), row.heads.end());
        row.scores = evaluateWithout(network, row.heads, prompts);
        row.lastRowOff = evaluate(network, fullScales(network), prompts, layer);
        if (attends(network, layer))
            attention.insert(attention.end(), row.heads.begin(), row.heads.end());
        report.layerRows.push_back(std::move(row));
    }
    report.withoutAttention = evaluateWithout(network, attention, prompts);
    report.acceptance = judge(report);
    return report;
}

} // namespace headscope::train
