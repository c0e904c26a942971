// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

const double kFactors[] = {0, 0.5, 1, 1.5, 2, 3};

Result<void> measurePromote(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    // Where the shipped models answer everything there is nothing to improve: 32 pairs are beyond their training.
    const int pairs = bench.suite.toy ? 32 : 50;
    const auto whole = lab.score(bench, bench.suite.kv(pairs), {});
    if (!whole.has_value())
        return whole.error();
    const std::vector<std::pair<std::string, std::vector<HeadRef>>> chosen = {
        {"gather", heads->gather}, {"aggregate", heads->aggregate}, {"both", heads->both()}};
    for (const auto& [role, group] : chosen)
        for (const double factor : kFactors) {
            std::vector<interventions::Intervention> items;
            for (const HeadRef& head : group)
                if (factor != 1)
                    items.push_back(interventions::EditHead{.head = head,
                                                            .replacement = factor == 0
                                                                               ? interventions::Replacement::Zero
                                                                               : interventions::Replacement::Scale,
                                                            .factor = factor});
            const auto now = lab.score(bench, bench.suite.kv(pairs), InterventionSet(std::move(items)));
            if (!now.has_value())
                return now.error();
            Cell accuracy = now->cell(), delta, p;
            if (factor != 1) {
                const auto contrast = lab.contrast(*whole, *now);
                if (!contrast.has_value())
                    return contrast.error();
                accuracy.contrast = *contrast;
                delta = contrast->difference;
                p = contrast->p;
            }
            lab.add({{bench.name, role, namesOf(bench.spec(), group), factor, accuracy, delta, p}});
        }
    return {};
}

std::string findingPromote(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model"))
        for (const std::string& role : table.distinct("role")) {
            const Table own = table.only("model", model).only("role", role);
            const Row *best = nullptr, *whole = nullptr;
            for (const Row& row : own.rows) {
                const bool plain = own.value(row, "factor") == 1.0;
                whole = plain ? &row : whole;
                if (!plain && own.value(row, "accuracy")
                    && (!best || *own.value(row, "accuracy") > *own.value(*best, "accuracy")))
                    best = &row;
            }
            if (!best || !whole)
                continue;
            const double delta = own.value(*best, "delta").value_or(0), p = own.value(*best, "p").value_or(1);
            text += (text.empty() ? "" : " ") + model + ", " + own.text(*best, "heads") + ": ";
            const std::string before = percent(own.cell(*whole, "accuracy")),
                              after = percent(own.cell(*best, "accuracy"));
            text += delta > 0 && p < 0.05 && !atFloor(own.cell(*best, "accuracy"))
                        ? translated("retrieval improves, from {} to {} at factor {} (p = {}).", before, after,
                                     shown(*own.value(*best, "factor"), Unit::Number), shown(p, Unit::Number))
                        : translated("no factor improves retrieval with p < 0.05 ({} as it is, at best {}).", before,
                                     after);
        }
    return text;
}

Judgement judgePromote(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const Row* best = nullptr;
    for (const Row& row : table.rows)
        if (table.value(row, "factor").value_or(0) > 1 && evidence.carries(row, "accuracy")
            && (!best || table.value(row, "accuracy") > table.value(*best, "accuracy")))
            best = &row;
    const auto whole = std::find_if(table.rows.begin(), table.rows.end(),
                                    [&](const Row& row) { return table.value(row, "factor") == 1.0; });
    if (!best || whole == table.rows.end() || table.value(*whole, "accuracy").value_or(1) >= 0.99)
        return {Verdict::CanNotTell, translated("there is nothing left to improve, or too few rows")};
    const std::string numbers =
        translated("factor {} on {}: {}", shown(table.value(*best, "factor").value_or(0), Unit::Number),
                   table.text(*best, "heads"), evidence.change(*whole, *best, "accuracy"));
    return {evidence.rises(*best, "accuracy") ? Verdict::Appears : Verdict::DoesNotAppear, numbers};
}

} // namespace

Experiment promote()
{
    return {
        .id = "promote",
        .title = "A head's output scaled by 0 to 3 instead of removed",
        .question = "Does retrieval improve when its heads speak louder?",
        .claim = "",
        .source = "Bick, Xing and Gu 2025, talk, what's next",
        .rule = "Appears: a factor above 1 on the gather or the aggregate heads raises KV retrieval (paired test, Holm "
                "over all factors and roles, p < 0.05). If the model already answers 99 %: inconclusive.",
        .setting = "Not in the paper; its outlook asks whether heads can be promoted to gather and aggregate.",
        .scaled = "toy_kv with 32 pairs, twice what the models were trained on, so that there is something to improve.",
        .assumed = "The factor acts on the head's slice before the output projection, at every position.",
        .needs = {"kv_retrieval"},
        .models = {"tiny-transformer", "tiny-hybrid"},
        .columns = {{"model", "model"},
                    {"role", "role"},
                    {"heads", "heads"},
                    {"factor", "factor", Unit::Number},
                    {"accuracy", "KV retrieval", Unit::Share, Source::Benchmark},
                    {"delta", "delta", Unit::Change},
                    {"p", "p", Unit::Number}},
        .charts = {{"Accuracy against the factor", "factor", {"accuracy"}, {"model", "role"}}},
        .run = eachModel(measurePromote),
        .finding = findingPromote,
        .judge = byModel(judgePromote)};
}

} // namespace headscope::experiments
