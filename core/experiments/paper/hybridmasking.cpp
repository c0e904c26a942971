// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/removals.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

namespace {

const std::vector<std::string> kHybridMaskingKeys = {"mmlu", "lambada", "gsm8k", "swde", "bbh", "knowledge", "kv"};

constexpr const char* kMasked = "attention, last row masked";

/// The part of a ranking that is attention, or that is not.
Ranked hybridMaskingPart(const lm::ModelSpec& spec, const Ranked& ranked, bool attention)
{
    const auto fits = [&](const HeadRef& head) {
        return (spec.layers[static_cast<std::size_t>(head.layer)].find(head.site)->kind == lm::MixerKind::Attention)
               == attention;
    };
    Ranked part;
    for (const engine::RankedHead& head : ranked.heads)
        if (fits(head.head))
            part.heads.push_back(head);
    return part;
}

Result<void> maskRows(Lab& lab, Bench& bench)
{
    Battery battery(lab, kHybridMaskingKeys, Relative::Shown);
    if (const auto first = battery.measure(bench, {}); !first.has_value())
        return first.error();
    const Row row{{bench.name, kMasked, Cell(), "every attention layer", mixersOf(bench.spec())},
                  bench.suite.toy ? -1 : 7};
    return battery.add(bench, row, edit("lastrow:*"));
}

Result<void> measureHybridMasking(Lab& lab, Bench& bench)
{
    const auto ranked = lab.rank(bench, bench.suite.kv(bench.suite.pairs()));
    if (!ranked.has_value())
        return ranked.error();
    const Ranked attention = hybridMaskingPart(bench.spec(), *ranked, true),
                 ssm = hybridMaskingPart(bench.spec(), *ranked, false);
    if (attention.heads.empty() || ssm.heads.empty())
        return inputError("'" + bench.name + "' is not a hybrid; expected a model with attention and SSM heads.");
    const bool small = bench.layers() < 60; // Zamba2-2.7B has 54 layers, 7B 81
    Removals removals{.keys = kHybridMaskingKeys,
                      .counts = bench.suite.toy ? std::vector<int>{1, 2, 3, 6}
                                : small         ? std::vector<int>{10, 20}
                                                : std::vector<int>{20, 40, 60}};
    removals.paperRows = bench.suite.toy ? std::vector<int>{0}
                         : small         ? std::vector<int>{0, 1, 2}
                                         : std::vector<int>{3, 4, 5, 6};
    removals.chosen = "attention";
    if (const auto done = measureRemovals(lab, bench, attention, removals); !done.has_value())
        return done;
    removals.paperRows.clear();
    removals.chosen = "SSM (control)";
    if (const auto done = measureRemovals(lab, bench, ssm, removals); !done.has_value())
        return done;
    return maskRows(lab, bench);
}

std::string findingHybridMasking(const Table& table)
{
    return removalsFinding(table, kHybridMaskingKeys);
}

Judgement judgeHybridMasking(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const auto keys = evidence.answered({"kv", "mmlu"});
    if (keys.empty())
        return {Verdict::CanNotTell,
                translated("the whole model answers no retrieval benchmark above the floor on enough rows")};
    const Row &attention = *table.where("chosen", "attention").back(),
              &control = *table.where("chosen", "SSM (control)").back();
    Judgement best{Verdict::DoesNotAppear, evidence.change(evidence.first(), attention, keys.front())};
    for (const std::string& key : keys) {
        const std::string numbers = translated(
            "without attention heads {}, {}; without SSM heads {}", evidence.change(evidence.first(), attention, key),
            evidence.change(evidence.first(), attention, "knowledge"), evidence.change(evidence.first(), control, key));
        if (evidence.collapses(evidence.first(), attention, key) && evidence.below(attention, control, key)
            && evidence.keeps(attention, "knowledge"))
            return {Verdict::Appears, numbers};
        if (evidence.falls(attention, key))
            best = {Verdict::InPart, numbers};
    }
    return best;
}

} // namespace

Experiment hybridMasking()
{
    Experiment experiment{
        .number = "E11",
        .id = "hybrid-masking",
        .title = "Attention heads of a hybrid removed, and the last row of its attention masked",
        .question = "Does attention do the retrieving in a hybrid?",
        .claim =
            "Without its attention heads a hybrid loses retrieval and keeps knowledge; its SSM heads are left alone.",
        .source = "Bick, Xing and Gu 2025, talk, hybrid models",
        .rule =
            "Appears: without the most attention heads that were removed, KV retrieval or multiple choice loses at "
            "least half "
            "of the score above the floor (paired test, Holm, p < 0.05), without as many SSM heads it "
            "stays above that (intervals apart), and knowledge loses less than 10 points (whole interval). In part: "
            "retrieval falls without attention heads, but the control or knowledge does too.",
        .setting = "Zamba2-2.7B without 10 and 20, Zamba2-7B without 20, 40 and 60 attention heads; and the query row "
                   "of the last token masked in every attention layer of Zamba2-7B.",
        .scaled = "1 to 6 of 16 attention heads, and as many SSM heads as control; toy_mc, toy_knowledge (accuracy and "
                  "perplexity of its last word), toy_kv with 16 pairs.",
        .assumed = "The heads are the first of the model's own KV retrieval ranking. Attention weights that layers of "
                   "Zamba2 share are removed in one layer at a time. The last row is masked as "
                   "a whole, its own entry included; the MMLU of 64.3 before it is from "
                   "the authors' notebook; the paper's table has 65.1.",
        .needs = {"kv_retrieval", "mmlu", "lambada_openai", "gsm8k", "swde", "bbh", "knowledge"},
        .models = {"tiny-hybrid"},
        .paperModels = {"Zyphra/Zamba2-2.7B", "Zyphra/Zamba2-7B"},
        .columns = removalColumns(kHybridMaskingKeys),
        .charts = {{"Scores against heads removed", "removed", {"mmlu", "knowledge", "kv"}, {"model", "chosen"}}},
        .run = eachModel(measureHybridMasking),
        .finding = findingHybridMasking,
        .judge = byModel(judgeHybridMasking)};
    for (const auto& [label, numbers] : std::vector<std::pair<std::string, std::vector<double>>>{
             {"Zamba2-2.7B, 0 heads removed", {55.7, 4.2, 57.4, 89.5, 30.6, 66.8}},
             {"Zamba2-2.7B, 10 heads removed", {42.4, 12.8, 24.7, 84.3, 25.5, 64.8}},
             {"Zamba2-2.7B, 20 heads removed", {37.2, 22.2, 6.5, 74.4, 17.4, 62.6}},
             {"Zamba2-7B, 0 heads removed", {65.1, 3.1, 60.5, 91.7, 33.0, 70.6}},
             {"Zamba2-7B, 20 heads removed", {57.3, 5.2, 27.6, 75.1, 28.9, 67.5}},
             {"Zamba2-7B, 40 heads removed", {50.6, 9.5, 14.9, 41.2, 21.7, 67.0}},
             {"Zamba2-7B, 60 heads removed", {36.2, 19.8, 7.2, 39.6, 15.9, 66.5}},
             {"Zamba2-7B, last row masked (64.3 before, authors' notebook)", {34.9}}})
        experiment.paper.push_back(paperRow(label, kHybridMaskingKeys, numbers));
    return experiment;
}

} // namespace headscope::experiments
