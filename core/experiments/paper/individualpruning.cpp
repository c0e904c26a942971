// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/individualpruning.h"

#include "core/experiments/battery.h"
#include "core/experiments/evidence.h"

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
    Battery battery(lab, kKeys, Relative::Shown);
    for (int layer = -1; layer <= last; ++layer) {
        const std::string name = "L" + std::to_string(layer);
        const Row row{{bench.name, layer < 0 ? "none" : name, layer < 0 ? Cell() : Cell(layer)}};
        const InterventionSet set = layer < 0 ? minimal : joined(minimal, edit("skip:" + name));
        if (const auto done = battery.add(bench, row, set); !done.has_value())
            return done;
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
            text += " " + heading(own, key) + " is " + percent(*own.value(own.rows.front(), key))
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

Judgement judgeModel(const Evidence& evidence)
{
    const auto keys = evidence.answered({"mmlu", "kv"});
    if (keys.empty())
        return {Verdict::CanNotTell, "the whole model answers no retrieval benchmark above guessing on enough rows"};
    const Table& table = evidence.table();
    std::vector<std::string> broken, clean;
    std::string numbers;
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const Row& row = table.rows[i];
        for (const std::string& key : keys)
            if (evidence.collapses(evidence.first(), row, key)) {
                broken.push_back(table.text(row, "removed"));
                if (evidence.keeps(row, "knowledge"))
                    clean.push_back(broken.back());
                numbers += (numbers.empty() ? "" : "; ") + ("without " + broken.back()) + " "
                           + evidence.change(evidence.first(), row, key) + ", "
                           + evidence.change(evidence.first(), row, "knowledge");
                break;
            }
    }
    if (broken.empty())
        return {Verdict::DoesNotAppear, "no single layer takes half of the retrieval"};
    const bool few = 2 * broken.size() <= table.rows.size() - 1;
    return {!clean.empty() && few ? Verdict::Appears : Verdict::InPart, numbers};
}

Judgement judge(const Table& table)
{
    return judgeModels(table, judgeModel);
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
            .question = "Do one or two layers carry multiple choice?",
            .claim = "Of the minimal model two neighbouring layers are needed for MMLU: L16 and L17 of Llama-3.1-8B, "
                     "L35 and L36 of Falcon-Mamba-7B.",
            .source = "Bick, Xing and Gu 2025, talk, case study MMLU, individual pruning",
            .rule = "Appears: without one layer at least half of what multiple choice or KV retrieval has above "
                    "guessing is gone (paired test, Holm, p < 0.05), and without it knowledge keeps (its interval "
                    "above -10 points); at most half of the layers do that. In part: a layer breaks retrieval, but "
                    "knowledge falls with it or more than half of the layers do it.",
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
            .finding = finding,
            .judge = judge};
}

} // namespace headscope::experiments
