// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/redundancy.h"

#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/removals.h"
#include "core/experiments/words/language.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace headscope::experiments {

namespace {

const std::vector<std::string> kRedundancyKeys = {"mmlu", "lambada", "swde", "bbh", "knowledge", "kv"};
constexpr double kFourOptions = 0.25; // what guessing gives on MMLU

Result<void> measureRedundancy(Lab& lab, Bench& bench)
{
    const auto ranked = lab.rank(bench, bench.suite.kv(bench.suite.pairs()));
    if (!ranked.has_value())
        return ranked.error();
    const bool attention = bench.spec().layers.front().find(lm::Site::Attention) != nullptr;
    Removals removals{.keys = kRedundancyKeys,
                      .counts = bench.suite.toy ? std::vector<int>{1, 2, 3, 4, 6, 8} : std::vector<int>{10, 20, 30}};
    removals.paperRows = attention ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{4, 5, 6, 7};
    if (bench.suite.toy) // 1 to 8 of 32 heads are not the paper's 10 to 30 of some hundreds
        removals.paperRows.resize(1);
    return measureRemovals(lab, bench, *ranked, removals);
}

std::string findingRedundancy(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        const std::vector<std::string> answered = Evidence(own).answered({"mmlu", "kv"});
        for (const std::string key : {"mmlu", "kv"}) {
            const auto whole = own.value(own.rows.front(), key);
            if (!whole)
                continue;
            text += (text.empty() ? "" : " ") + model + ": ";
            const std::string name = heading(own, key);
            if (std::ranges::find(answered, key) == answered.end()) {
                text +=
                    translated("{} {} is not above the floor, so that nothing can be halved.", name, percent(*whole));
                continue;
            }
            const Row* half = nullptr;
            for (const Row& row : own.rows)
                if (!half && own.value(row, key) && *own.value(row, key) <= *whole / 2)
                    half = &row;
            text += half ? translated("{} {} is halved by removing {} heads ({}).", name, percent(*whole),
                                      shown(*own.value(*half, "removed"), Unit::Count), percent(*own.value(*half, key)))
                         : translated("{} {} is not halved by any number of heads tried ({} at the end).", name,
                                      percent(*whole), percent(*own.value(own.rows.back(), key)));
        }
    }
    return text;
}

Judgement judgeRedundancy(const Table& table)
{
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> halved; // by key: attention, SSM
    std::string why;
    constexpr double kNever = 1e9;
    for (const HalvedBy& one : halvedBy(table)) {
        (one.attention ? halved[one.key].first : halved[one.key].second).push_back(one.heads.value_or(kNever));
        const std::string name = heading(table.only("model", one.model), one.key);
        why += (why.empty() ? "" : "; ") + one.model + ": "
               + (!one.heads ? translated("{} is not halved", name)
                             : translated(*one.heads == 1 ? "{} is halved by {} head" : "{} is halved by {} heads",
                                          name, shown(*one.heads, Unit::Count)));
    }
    std::vector<Verdict> verdicts;
    for (const auto& [key, counts] : halved)
        if (!counts.first.empty() && !counts.second.empty()
            && *std::max_element(counts.first.begin(), counts.first.end()) < kNever)
            verdicts.push_back(*std::max_element(counts.first.begin(), counts.first.end())
                                       < *std::min_element(counts.second.begin(), counts.second.end())
                                   ? Verdict::Appears
                                   : Verdict::DoesNotAppear);
    return {together(verdicts), why.empty() ? translated("no model answers above the floor on enough rows") : why};
}

} // namespace

std::vector<HalvedBy> halvedBy(const Table& table)
{
    std::vector<HalvedBy> all;
    for (const std::string& model : table.distinct("model")) {
        const Evidence evidence(table.only("model", model));
        const bool attention = evidence.table().text(evidence.first(), "mixers") == "attention";
        for (const std::string& key : evidence.answered({"mmlu", "kv"})) {
            HalvedBy one{.model = model, .key = key, .attention = attention};
            for (const Row& row : evidence.table().rows) {
                const double removed = evidence.table().value(row, "removed").value_or(0);
                one.tried = std::max(one.tried, removed);
                if (evidence.collapses(evidence.first(), row, key))
                    one.heads = std::min(one.heads.value_or(removed), removed);
            }
            all.push_back(one);
        }
    }
    return all;
}

std::vector<HalvedBy> halvedByPaper(const Experiment& experiment)
{
    std::vector<HalvedBy> all;
    double whole = 0;
    for (const PaperRow& row : experiment.paper) { // "Llama-3B (Transformer), 10 heads removed"
        const auto comma = row.label.find(", ");
        const std::string model = row.label.substr(0, comma);
        const double score = row.find("mmlu").value_or(0);
        if (all.empty() || all.back().model != model) {
            whole = score;
            all.push_back({.model = model, .key = "mmlu"});
        }
        HalvedBy& one = all.back();
        one.tried = std::atof(row.label.c_str() + comma + 2);
        if (!one.heads && score - kFourOptions <= (whole - kFourOptions) / 2)
            one.heads = one.tried;
    }
    return all;
}

Experiment redundancy()
{
    Experiment experiment{
        .number = "E9",
        .id = "redundancy",
        .title = "How many heads share the role in an SSM and in a Transformer",
        .question = "Does an SSM spread retrieval over more heads than a Transformer?",
        .claim =
            "SSMs react less to the removal of gather-and-aggregate heads: they share the role among more of them.",
        .source = "Bick, Xing and Gu 2025, talk, SSMs struggle with gather-and-aggregate",
        .rule = "Appears: KV retrieval or multiple choice is halved (above the floor; paired test, Holm, p < 0.05) by "
                "fewer removed heads in every attention model than in any SSM, for each benchmark that both answer. In "
                "part: for one of two benchmarks. Does not appear: the SSM is halved by as few or fewer.",
        .setting = "Llama-3B beside Llamba-3B: the first 10, 20 and 30 heads of the KV retrieval "
                   "ranking removed; MMLU, LAMBADA perplexity, SWDE, BBH, knowledge.",
        .scaled = "1 to 8 of 32 heads; toy_mc, toy_knowledge, toy_kv with 16 pairs. One key-value head "
                  "does the work in each of the shipped models, so more heads sharing it in the SSM "
                  "is not to be expected there.",
        .assumed = "Both models are ranked by the same rule, each on its own.",
        .needs = {"kv_retrieval", "mmlu", "lambada_openai", "swde", "bbh", "knowledge"},
        .models = {"tiny-transformer", "tiny-ssm"},
        .paperModels = {"meta-llama/Llama-3.2-3B-Instruct", "cartesia-ai/Llamba-3B"},
        .columns = removalColumns(kRedundancyKeys),
        .charts = {{"Heads that halve a score", "removed", {"mmlu", "kv"}, {"model"}, Chart::Kind::Counts},
                   {"Scores against heads removed", "removed", {"mmlu", "kv"}, {"model"}}},
        .run = eachModel(measureRedundancy),
        .finding = findingRedundancy,
        .judge = judgeRedundancy};
    for (const auto& [label, numbers] : std::vector<std::pair<std::string, std::vector<double>>>{
             {"Llama-3B (Transformer), 0 heads removed", {60.3, 4.8, 85.8, 38.2, 60.5}},
             {"Llama-3B (Transformer), 10 heads removed", {53.1, 6.5, 81.9, 33.4, 59.4}},
             {"Llama-3B (Transformer), 20 heads removed", {32.2, 8.8, 57.5, 27.7, 58.7}},
             {"Llama-3B (Transformer), 30 heads removed", {29.9, 10.1, 47.5, 25.4, 58.0}},
             {"Llamba-3B (SSM), 0 heads removed", {52.5, 3.6, 21.3, 9.2, 63.8}},
             {"Llamba-3B (SSM), 10 heads removed", {42.6, 5.2, 18.6, 9.0, 63.7}},
             {"Llamba-3B (SSM), 20 heads removed", {41.3, 8.2, 18.1, 9.0, 63.1}},
             {"Llamba-3B (SSM), 30 heads removed", {41.2, 9.1, 18.1, 9.0, 62.6}}})
        experiment.paper.push_back(paperRow(label, kRedundancyKeys, numbers));
    return experiment;
}

} // namespace headscope::experiments
