// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

Result<void> measureKvCurve(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    const std::vector<std::pair<std::string, std::vector<HeadRef>>> states = {
        {"baseline", {}},
        {"without gather " + namesOf(bench.spec(), heads->gather), heads->gather},
        {"without aggregate " + namesOf(bench.spec(), heads->aggregate), heads->aggregate},
    };
    const bool english = bench.suite.retrieval == "word_kv";
    const std::vector<int> sizes = english           ? std::vector<int>{4, 8, 16, 32, 48, 64}
                                   : bench.suite.toy ? std::vector<int>{4, 8, 12, 16, 24, 32}
                                                     : std::vector<int>{10, 15, 20, 25, 30, 35, 40, 45, 50};
    if (english)
        lab.addNote("The card of {} says how many pairs its training dictionaries had.", bench.name);
    else if (bench.suite.toy)
        lab.addNote("{} was trained on dictionaries of at most 16 pairs; 24 and 32 pairs are beyond its training.",
                    bench.name);
    for (const int pairs : sizes) {
        Measured baseline;
        for (const auto& [state, removed] : states) {
            const auto now = lab.score(bench, bench.suite.kv(pairs), without(removed));
            if (!now.has_value())
                return now.error();
            if (removed.empty())
                baseline = *now;
            Cell accuracy = now->cell(), delta, p;
            if (!removed.empty()) {
                const auto contrast = lab.contrast(baseline, *now);
                if (!contrast.has_value())
                    return contrast.error();
                accuracy.contrast = *contrast;
                delta = contrast->difference;
                p = contrast->p;
            }
            lab.add(
                {{bench.name, state, pairs, accuracy, delta, p, accuracy.chance ? Cell(*accuracy.chance) : Cell()}});
        }
    }
    return {};
}

std::string findingKvCurve(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        text += (text.empty() ? "" : " ") + model + ":";
        const Table own = table.only("model", model);
        for (const std::string& state : own.distinct("state")) {
            const auto rows = own.where("state", state);
            const Row &first = *rows.front(), &last = *rows.back();
            const auto from = own.value(first, "accuracy"), to = own.value(last, "accuracy");
            if (!from || !to)
                continue;
            text += " "
                    + translated("{} answers {} with {} pairs and {} with {}", translatedName(state),
                                 percent(own.cell(first, "accuracy")), shown(*own.value(first, "pairs"), Unit::Count),
                                 percent(own.cell(last, "accuracy")), shown(*own.value(last, "pairs"), Unit::Count));
            if (state != "baseline") {
                const bool everywhere = std::all_of(rows.begin(), rows.end(), [&](const Row* row) {
                    return *own.value(*row, "delta") < 0 && *own.value(*row, "p") < 0.05;
                });
                text += " "
                        + translated(everywhere ? "(less than the baseline at every size, p < 0.05)"
                                                : "(not less than the baseline at every size with p < 0.05)");
            }
            text += ";";
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeKvCurve(const Evidence& evidence)
{
    const Table& table = evidence.table();
    int possible = 0, fallen = 0;
    for (const Row* before : table.where("state", "baseline")) {
        if (!evidence.answers(*before, "accuracy"))
            continue;
        for (const Row& row : table.rows)
            if (row.cells[table.column("pairs")].value == before->cells[table.column("pairs")].value
                && table.text(row, "state") != "baseline") {
                ++possible;
                fallen += evidence.falls(row, "accuracy") ? 1 : 0;
            }
    }
    if (possible == 0)
        return {Verdict::CanNotTell, translated("the baseline answers no size above the floor on enough rows")};
    return {fallen == possible ? Verdict::Appears
            : fallen > 0       ? Verdict::InPart
                               : Verdict::DoesNotAppear,
            translated("lower in {} of {} sizes and heads", fallen, possible)};
}

} // namespace

Experiment kvCurve()
{
    return {
        .number = "E4",
        .id = "kv-curve",
        .title = "KV retrieval against dictionary size, with the gather and the aggregate head removed",
        .question = "Does retrieval need both heads at every dictionary size?",
        .claim = "Without L16H22 KV retrieval drops by a constant, without L17H24 the more the larger the dictionary.",
        .source = "Bick, Xing and Gu 2025, talk, retrieval in MMLU",
        .rule =
            "Appears: without either head the accuracy is lower than the baseline's at every size that the baseline "
            "answers above the floor (paired test, Holm, p < 0.05). In part: at some sizes, or for one head.",
        .setting = "Llama-3.1-8B-Instruct without L16H22 and without L17H24; 10 to 50 pairs, 1,000 examples each.",
        .scaled = "toy_kv with 4 to 32 pairs, 256 examples each; the two heads are found by removing every head once.",
        .assumed = "Nine sizes, 10 to 50 in steps of 5, as in the published code (its text speaks of 55 settings). The "
                   "paper does not print the numbers of "
                   "the curve, so none is shown beside ours. Each head is removed alone, from the whole model.",
        .needs = {"kv_retrieval"},
        .models = {"tiny-transformer"},
        .paperModels = {"meta-llama/Llama-3.1-8B-Instruct"},
        .columns = {{"model", "model"},
                    {"state", "removed"},
                    {"pairs", "pairs", Unit::Count},
                    {"accuracy", "KV retrieval", Unit::Share, Source::Benchmark},
                    {"delta", "delta", Unit::Change},
                    {"p", "p", Unit::Number},
                    {"chance", "guessing", Unit::Share}},
        .charts = {{"Accuracy against pairs", "pairs", {"accuracy"}, {"model", "state"}}},
        .run = eachModel(measureKvCurve),
        .finding = findingKvCurve,
        .judge = byModel(judgeKvCurve)};
}

} // namespace headscope::experiments
