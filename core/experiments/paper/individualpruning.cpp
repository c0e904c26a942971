// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/individualpruning.h"

#include "core/experiments/battery.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

const std::vector<std::string> kKeys = {"mmlu", "knowledge", "kv"};

Result<void> measure(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    // In a four-layer model the layers above the aggregate head still turn what was fetched into an answer.
    const int last = bench.suite.toy ? bench.layers() - 1 : heads->lastLayer;
    const InterventionSet minimal = last == bench.layers() - 1 ? InterventionSet() : minimalModel(last);
    std::vector<Cell> first;
    for (int layer = -1; layer <= last; ++layer) {
        const std::string name = "L" + std::to_string(layer);
        const auto cells =
            addBatteryRow(lab, bench, {{bench.name, layer < 0 ? "none" : name, layer < 0 ? Cell() : Cell(layer)}},
                          kKeys, layer < 0 ? minimal : joined(minimal, edit("skip:" + name)), first);
        if (!cells.has_value())
            return cells.error();
        if (layer < 0)
            first = *cells;
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
        text += (text.empty() ? "" : " ") + model + ":";
        for (const std::string key : {"mmlu", "kv", "knowledge"}) {
            std::vector<const Row*> order;
            for (const Row& row : own.rows)
                if (own.text(row, "removed") != "none" && own.value(row, key))
                    order.push_back(&row);
            if (order.empty() || !own.value(own.rows.front(), key))
                continue;
            std::stable_sort(order.begin(), order.end(),
                             [&](const Row* a, const Row* b) { return *own.value(*a, key) < *own.value(*b, key); });
            text += " " + own.columns[own.column(key)].title + " is " + percent(*own.value(own.rows.front(), key))
                    + " whole and lowest without " + own.text(*order[0], "removed") + " ("
                    + percent(*own.value(*order[0], key)) + ")";
            if (order.size() > 1)
                text += " and " + own.text(*order[1], "removed") + " (" + percent(*own.value(*order[1], key)) + ")";
            text += ";";
        }
        text.back() = '.';
    }
    return text;
}

} // namespace

Experiment individualPruning()
{
    std::vector<Column> columns = {{"model", "model"}, {"removed", "removed"}, {"layer", "layer", Unit::Count}};
    const auto battery = batteryColumns(kKeys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return {.number = "E2",
            .id = "individual-pruning",
            .title = "One layer of the minimal model removed, measured, reinserted",
            .setting = "Llama-3.1-8B up to L17, Falcon-Mamba-7B up to L36, Llamba-8B up to L17; MMLU. The paper finds "
                       "that L16 and L17, L35 and L36, L16 and L17 matter; the "
                       "curves' numbers are printed nowhere.",
            .scaled = "The whole model in place of the minimal one: in four layers the ones above the aggregate head "
                      "still take part in the answer. toy_mc, toy_knowledge, toy_kv.",
            .assumed = "A removed layer is skipped with its MLP; positions and the other layers stay as they are.",
            .needs = {"mmlu", "knowledge"},
            .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
            .paperModels = {"meta-llama/Llama-3.1-8B-Instruct", "tiiuae/falcon-mamba-7b-instruct",
                            "goombalab/Llamba-8B-untied"},
            .columns = columns,
            .charts = {{"Scores without one layer", "layer", kKeys, {"model"}}},
            .run = run,
            .finding = finding};
}

} // namespace headscope::experiments
