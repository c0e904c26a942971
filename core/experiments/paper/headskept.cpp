// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/headskept.h"

#include "core/experiments/battery.h"
#include "core/experiments/evidence.h"

namespace headscope::experiments {

namespace {

const std::vector<std::string> kKeys = {"mmlu", "knowledge", "kv"};

/// Only these heads stay in a layer.
InterventionSet keepOnly(const lm::ModelSpec& spec, int layer, const std::vector<HeadRef>& heads)
{
    const interventions::Site site = heads.empty() || spec.layers[static_cast<std::size_t>(layer)].mixers.size() < 2
                                         ? interventions::Site::Any
                                         : heads.front().site;
    if (heads.empty())
        return without({{layer, site, -1}});
    std::vector<int> kept;
    for (const HeadRef& head : heads)
        kept.push_back(head.head);
    return InterventionSet({interventions::KeepHeads{layer, site, kept}});
}

Result<void> measure(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    const int gatherLayer = heads->gatherLayer(), aggregateLayer = heads->lastLayer;
    const InterventionSet minimal = bench.suite.toy ? InterventionSet() : minimalModel(aggregateLayer);
    Battery battery(lab, kKeys);
    int paper = 0; // its order: both, the aggregate head alone, the gather head alone, neither
    for (const bool aggregate : {true, false}) {
        for (const bool gather : {true, false}) {
            const std::vector<HeadRef> g = gather ? heads->gather : std::vector<HeadRef>(),
                                       a = aggregate ? heads->aggregate : std::vector<HeadRef>();
            const InterventionSet set = joined(
                minimal, joined(keepOnly(bench.spec(), gatherLayer, g), keepOnly(bench.spec(), aggregateLayer, a)));
            const Row row{{bench.name, namesOf(bench.spec(), g), namesOf(bench.spec(), a)}, paper++};
            if (const auto done = battery.add(bench, row, set); !done.has_value())
                return done;
        }
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
        const Row& both = own.rows.front();
        text += (text.empty() ? "" : " ") + model + ": with " + own.text(both, "gather") + " and "
                + own.text(both, "aggregate") + " alone in their layers";
        for (const std::string& key : kKeys)
            if (const auto value = own.value(both, key))
                text += (key == kKeys.front() ? " " : ", ") + heading(own, key) + " is " + percent(*value);
        for (std::size_t i = 1; i < own.rows.size(); ++i) {
            static const char* const names[] = {"", "without the gather head", "without the aggregate head",
                                                "without both"};
            text += std::string("; ") + names[i < 4 ? i : 3] + " " + changes(own, both, own.rows[i], kKeys);
        }
        text += ".";
    }
    return text;
}

Judgement judgeModel(const Evidence& evidence)
{
    const auto keys = evidence.answered({"mmlu", "kv"});
    if (keys.empty())
        return {Verdict::CanNotTell,
                "with both heads no retrieval benchmark is answered above guessing on enough rows"};
    const Table& table = evidence.table();
    Judgement best{Verdict::DoesNotAppear, "neither head alone takes half of the retrieval"};
    for (const std::string& key : keys) {
        std::size_t collapsed = 0, kept = 0;
        for (std::size_t i = 1; i < table.rows.size(); ++i) {
            collapsed += evidence.collapses(evidence.first(), table.rows[i], key) ? 1 : 0;
            kept += evidence.keeps(table.rows[i], "knowledge") ? 1 : 0;
        }
        const std::size_t others = table.rows.size() - 1;
        const std::string numbers = "without both " + evidence.change(evidence.first(), table.rows.back(), key) + ", "
                                    + evidence.change(evidence.first(), table.rows.back(), "knowledge");
        if (collapsed == others && kept == others)
            return {Verdict::Appears, numbers};
        if (collapsed > 0)
            best = {Verdict::InPart, numbers};
    }
    return best;
}

Judgement judge(const Table& table)
{
    return judgeModels(table, judgeModel);
}

} // namespace

Experiment headsKept()
{
    std::vector<Column> columns = {
        {"model", "model"}, {"gather", "kept in gather layer"}, {"aggregate", "kept in aggregate layer"}};
    const auto battery = batteryColumns(kKeys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return {.number = "E3",
            .id = "heads-kept",
            .title = "Only the gather and the aggregate head kept in the last two layers of the minimal model",
            .question = "Do two heads carry multiple choice?",
            .claim = "With L16H22 and L17H24 alone in their layers MMLU stays at 66 %; without either it is at "
                     "guessing, and knowledge does not change.",
            .source = "Bick, Xing and Gu 2025, talk, case study MMLU, heads kept in a layer",
            .rule = "Appears: without the gather head, without the aggregate head and without both at least half of "
                    "what multiple choice or KV retrieval has above guessing is gone (paired test, Holm, p < 0.05), "
                    "and knowledge keeps (its interval above -10 points) each time. In part: some of these.",
            .setting = "Llama-3.1-8B up to L17 with all heads of layers 0 to 15; of L16 only head 22 or none, of L17 "
                       "only head 24 or none; MMLU and the knowledge tasks.",
            .scaled = "The whole model with the same rule in the gather and the aggregate head's layers, as found by "
                      "ranking: its last layer turns the fetched fact into a letter, so "
                      "a minimal model without it could not answer. toy_mc, toy_knowledge, toy_kv.",
            .assumed = "A layer without kept heads keeps its MLP, as in the published code.",
            .needs = {"mmlu", "knowledge"},
            .models = {"tiny-transformer"},
            .paperModels = {"meta-llama/Llama-3.1-8B-Instruct"},
            .columns = columns,
            .charts = {{"Scores with the heads that are kept",
                        "gather",
                        {"mmlu", "knowledge"},
                        {"model", "aggregate"},
                        Chart::Kind::Bars}},
            .paper = {paperRow("Llama-3.1-8B, 22 and 24 kept", kKeys, {66.32, 39.09}),
                      paperRow("Llama-3.1-8B, only 24 kept", kKeys, {24.36, 39.18}),
                      paperRow("Llama-3.1-8B, only 22 kept", kKeys, {25.59, 39.21}),
                      paperRow("Llama-3.1-8B, neither kept", kKeys, {25.56, 39.21})},
            .run = run,
            .finding = finding,
            .judge = judge};
}

} // namespace headscope::experiments
