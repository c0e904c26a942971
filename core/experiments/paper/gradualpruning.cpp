// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/gradualpruning.h"

#include "core/experiments/battery.h"

namespace headscope::experiments {

namespace {

const std::vector<std::string> kKeys = {"mmlu", "knowledge", "kv"};

Result<void> measure(Lab& lab, Bench& bench)
{
    for (int last = bench.layers() - 1; last >= 0; --last) {
        const InterventionSet set = last == bench.layers() - 1 ? InterventionSet() : minimalModel(last);
        if (const auto cells =
                addBatteryRow(lab, bench, {{bench.name, last + 1, "L" + std::to_string(last)}}, kKeys, set);
            !cells.has_value())
            return cells.error();
    }
    return {};
}

Result<void> run(Lab& lab)
{
    return forEachModel(lab, [&](Bench& bench) { return measure(lab, bench); });
}

std::string finding(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        for (const std::string key : {"mmlu", "kv"}) {
            // The one removal that costs most.
            std::size_t worst = 0;
            double cost = 0;
            for (std::size_t i = 1; i < own.rows.size(); ++i) {
                const auto before = own.value(own.rows[i - 1], key), after = own.value(own.rows[i], key);
                if (before && after && *before - *after > cost) {
                    cost = *before - *after;
                    worst = i;
                }
            }
            if (worst == 0)
                continue;
            const Row &before = own.rows[worst - 1], &after = own.rows[worst];
            text += (text.empty() ? "" : " ") + model + ": " + own.columns[own.column(key)].title + " falls most when "
                    + own.text(before, "last") + " goes, from " + percent(*own.value(before, key)) + " to "
                    + percent(*own.value(after, key));
            if (const auto k = own.value(before, "knowledge"), l = own.value(after, "knowledge"); k && l)
                text += "; by the same step knowledge goes from " + percent(*k) + " to " + percent(*l);
            text += ".";
        }
    }
    return text.empty() ? "No removal of a layer lowers the scores." : text;
}

} // namespace

Experiment gradualPruning()
{
    std::vector<Column> columns = {{"model", "model"}, {"layers", "layers kept", Unit::Count}, {"last", "last layer"}};
    const auto battery = batteryColumns(kKeys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return {.number = "E1",
            .id = "gradual-pruning",
            .title = "Layers removed from the end, one after another",
            .setting = "Llama-3.1-8B; MMLU and the knowledge tasks after each removal. The paper finds that MMLU falls "
                       "when L17 goes while knowledge declines slowly; the curve's "
                       "numbers are printed nowhere.",
            .scaled = "toy_mc, toy_knowledge and toy_kv on four layers: removing one is a quarter of the model, so "
                      "knowledge falls faster than in 32 layers.",
            .needs = {"mmlu", "knowledge"},
            .models = {"tiny-transformer"},
            .paperModels = {"meta-llama/Llama-3.1-8B"},
            .columns = columns,
            .charts = {{"Scores against layers kept", "layers", kKeys, {"model"}}},
            .run = run,
            .finding = finding};
}

} // namespace headscope::experiments
