// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/removals.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

namespace {

const std::vector<std::string> kRankingKeys = {"mmlu", "lambada", "gsm8k", "swde", "bbh", "knowledge", "kv"};

Result<void> measureRanking(Lab& lab, Bench& bench)
{
    const auto ranked = lab.rank(bench, bench.suite.kv(bench.suite.pairs()));
    if (!ranked.has_value())
        return ranked.error();
    Removals removals{.keys = kRankingKeys,
                      .counts = bench.suite.toy ? std::vector<int>{1, 2, 3} : std::vector<int>{10, 20, 30},
                      .randomDraws = bench.suite.toy ? 3 : 1};
    removals.paperRows = bench.layers() == 28 ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{4, 5, 6, 7};
    return measureRemovals(lab, bench, *ranked, removals);
}

std::string findingRanking(const Table& table)
{
    return removalsFinding(table, kRankingKeys);
}

Judgement judgeRanking(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const auto keys = evidence.answered({"kv", "mmlu"});
    if (keys.empty())
        return {Verdict::CanNotTell,
                translated("the whole model answers no retrieval benchmark above the floor on enough rows")};
    const Row& most = *table.where("chosen", "ranked").back();
    Judgement best{Verdict::DoesNotAppear, evidence.change(evidence.first(), most, keys.front())};
    for (const std::string& key : keys) {
        if (!evidence.falls(most, key))
            continue;
        bool control = false, apart = true;
        for (const Row& row : table.rows)
            if (table.text(row, "chosen").starts_with("random")
                && table.value(row, "removed") == table.value(most, "removed")) {
                control = true;
                apart = apart && evidence.below(most, row, key);
            }
        const std::string numbers =
            translated("without {} {}, {}", table.text(most, "heads"), evidence.change(evidence.first(), most, key),
                       evidence.change(evidence.first(), most, "knowledge"));
        if (control && apart && evidence.keeps(most, "knowledge"))
            return {Verdict::Appears, numbers};
        best = {Verdict::InPart, numbers};
    }
    return best;
}

} // namespace

Experiment ranking()
{
    Experiment experiment{
        .number = "E6",
        .id = "ranking",
        .title = "The first heads of the KV retrieval ranking removed, with random heads as control",
        .question = "Do the first heads of the ranking carry retrieval and not knowledge?",
        .claim = "Without the 10 to 30 first heads MMLU, GSM8K and BBH fall by a third to four fifths; knowledge by at "
                 "most 6 %.",
        .source = "Bick, Xing and Gu 2025, talk, retrieval is implicitly involved in many tasks",
        .rule = "Appears: without the most ranked heads that were removed, KV retrieval or multiple choice is lower "
                "(paired test, Holm, p < 0.05) and lower than without as many random heads (intervals apart), and "
                "knowledge loses less than 10 points (whole interval). In part: retrieval falls, but no more than with "
                "random heads, or knowledge falls with it.",
        .setting = "Llama-3B and Llama-8B: every head removed once on KV retrieval, then the first 10, 20 and 30 "
                   "together; MMLU, LAMBADA perplexity, GSM8K, SWDE, BBH, knowledge.",
        .scaled = "1, 2 and 3 heads of 32; toy_mc, toy_knowledge (accuracy and perplexity of its last word) and toy_kv "
                  "with 16 pairs. GSM8K, SWDE and BBH have no analogue.",
        .assumed = "Llama-3B is Llama-3.2-3B-Instruct, Llama-8B is Llama-3.1-8B-Instruct; KV retrieval with 16 pairs; "
                   "GSM8K, SWDE and BBH with the harness's default examples in the "
                   "prompt, which the paper does not state. The control is ours: the same number of heads drawn among "
                   "the rest that have an output at all.",
        .needs = {"kv_retrieval", "mmlu", "lambada_openai", "gsm8k", "swde", "bbh", "knowledge"},
        .models = {"tiny-transformer"},
        .paperModels = {"meta-llama/Llama-3.2-3B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"},
        .columns = removalColumns(kRankingKeys),
        .charts = {{"Scores against heads removed", "removed", {"mmlu", "knowledge", "kv"}, {"model", "chosen"}}},
        .run = eachModel(measureRanking),
        .finding = findingRanking,
        .judge = byModel(judgeRanking)};
    for (const auto& [label, numbers] : std::vector<std::pair<std::string, std::vector<double>>>{
             {"Llama-3B, 0 heads removed", {60.3, 4.8, 28.7, 85.8, 38.2, 60.5}},
             {"Llama-3B, 10 heads removed", {53.1, 6.5, 17.4, 81.9, 33.4, 59.4}},
             {"Llama-3B, 20 heads removed", {32.2, 8.8, 9.1, 57.5, 27.7, 58.7}},
             {"Llama-3B, 30 heads removed", {29.9, 10.1, 5.6, 47.5, 25.4, 58.0}},
             {"Llama-8B, 0 heads removed", {68.1, 3.4, 27.3, 90.8, 45.1, 68.5}},
             {"Llama-8B, 10 heads removed", {61.9, 4.2, 21.7, 87.3, 37.7, 67.1}},
             {"Llama-8B, 20 heads removed", {38.1, 6.8, 9.4, 79.5, 29.2, 64.8}},
             {"Llama-8B, 30 heads removed", {38.7, 7.3, 7.8, 74.0, 29.0, 64.4}}})
        experiment.paper.push_back(paperRow(label, kRankingKeys, numbers));
    return experiment;
}

} // namespace headscope::experiments
