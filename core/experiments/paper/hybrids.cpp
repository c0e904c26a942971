// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/students.h"
#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

constexpr int kHybridsState = 16;

Result<void> measureHybrids(Lab& lab, const std::shared_ptr<Bench>& teacher)
{
    const auto plans = planStudents(
        lab, *teacher, teacher->suite.toy ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 10, 20, 30, 40},
        teacher->suite.toy ? 2 : 1);
    if (!plans.has_value())
        return plans.error();
    Battery battery(lab, kStudentKeys);
    int paper = 0;
    for (const StudentPlan& plan : *plans) {
        const auto bench = openStudent(lab, teacher, plan, kHybridsState);
        if (!bench.has_value())
            return bench.error();
        const Row row{{teacher->name, plan.name, static_cast<int>(plan.kept.size()),
                       plan.teacher ? "all" : namesOf(teacher->spec(), plan.kept)},
                      plan.teacher            ? 5
                      : plan.name == "ranked" ? paper++
                                              : -1};
        if (const auto done = battery.add(**bench, row, {}); !done.has_value())
            return done;
    }
    return {};
}

std::string findingHybrids(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + ":";
        for (const Row& row : own.rows) {
            text += " "
                    + translated("{}, {} attention heads ({}):", translatedName(own.text(row, "chosen")),
                                 shown(*own.value(row, "k"), Unit::Count), translatedName(own.text(row, "heads")));
            for (const std::string& key : kStudentKeys)
                if (own.value(row, key))
                    text += " " + heading(own, key) + " " + percent(own.cell(row, key)) + ",";
            text.back() = ';';
        }
        text.back() = '.';
        const auto ranked = own.where("chosen", "ranked");
        double random = -1;
        for (const Row& row : own.rows)
            if (own.text(row, "chosen").starts_with("random"))
                random = std::max(random, own.value(row, "kv").value_or(0));
        if (!ranked.empty() && random >= 0 && own.value(*ranked.back(), "kv"))
            text +=
                " "
                + translated(*own.value(*ranked.back(), "kv") > random + 0.2 && !atFloor(own.cell(*ranked.back(), "kv"))
                                 ? "The ranked heads recover retrieval; as many random heads do not."
                                 : "The ranked heads do not recover clearly more than random ones.");
    }
    return text;
}

Judgement judgeHybrids(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const auto ranked = table.where("chosen", "ranked");
    if (ranked.empty() || !evidence.carries(*ranked.back(), "kv") || ranked.back() == &evidence.first())
        return {Verdict::CanNotTell, translated("KV retrieval was not measured on enough rows")};
    const Row& most = *ranked.back();
    const std::string numbers =
        translated("with {} as attention {}", table.text(most, "heads"), evidence.change(evidence.first(), most, "kv"));
    if (!evidence.rises(most, "kv") || table.cell(most, "kv").contrast->difference < kMargin)
        return {Verdict::DoesNotAppear, numbers};
    bool apart = true, control = false;
    for (const Row& row : table.rows)
        if (table.text(row, "chosen").starts_with("random")) {
            control = true;
            apart = apart && evidence.below(row, most, "kv");
        }
    return {control && apart ? Verdict::Appears : Verdict::InPart, numbers};
}

} // namespace

Experiment hybrids()
{
    Experiment experiment{
        .number = "E12",
        .id = "retrieval-guided-hybrids",
        .title = "The first k heads of a ranking kept as attention, the others distilled into SSM heads",
        .question = "Do a few attention heads, chosen by retrieval, make up for the rest?",
        .claim = "Hybrid-Llama-1B with 10 of 512 heads kept answers 99 % of KV retrieval, without any 13 %; knowledge "
                 "does not change.",
        .source = "Bick, Xing and Gu 2025, talk, retrieval-guided hybrids",
        .rule = "Appears: with the most ranked heads that were kept, KV retrieval is at least 10 points above the "
                "student without attention (paired test, Holm, p < 0.05) and above every student with as many random "
                "heads (intervals apart). In part: above the student without attention only.",
        .setting = "Llama-3.2-1B with 0, 10, 20, 30 and 40 of its 512 heads kept, the rest distilled; "
                   "knowledge-focused and retrieval-heavy benchmarks.",
        .scaled = "0, 1, 2 and 3 of 32 heads of the tiny Transformer, really distilled here on its own task mix; as "
                  "control 3 random heads, which the paper does not have.",
        .assumed = "The hybrids of the paper were distilled by others at a scale that does not run here; the paper's "
                   "rows name them Hybrid-Llama-1B. Its knowledge columns are "
                   "separate; ours is their mean.",
        .needs = {"kv_retrieval", "mmlu", "knowledge"},
        .models = {"tiny-transformer"},
        .paperModels = {"meta-llama/Llama-3.2-1B-Instruct"},
        .columns = {{"model", "model"},
                    {"chosen", "heads chosen"},
                    {"k", "attention heads", Unit::Count},
                    {"heads", "kept"}},
        .charts = {{"Accuracy against attention heads kept", "k", kStudentKeys, {"model", "chosen"}}},
        .run = eachTeacher(measureHybrids),
        .finding = findingHybrids,
        .judge = byModel(judgeHybrids)};
    addStudentColumns(experiment.columns);
    for (const auto& [label, numbers] : std::vector<std::pair<std::string, std::vector<double>>>{
             {"Hybrid-Llama-1B, 0 attention heads", {38.0, 69.3, 74.2, 61.7, 61.0, 36.6, 50.7, 39.2, 25.1, 27.7, 13.2}},
             {"Hybrid-Llama-1B, 10 attention heads",
              {37.6, 69.0, 74.6, 60.5, 62.0, 36.8, 54.2, 42.1, 34.4, 71.1, 99.0}},
             {"Hybrid-Llama-1B, 20 attention heads",
              {38.2, 69.3, 74.5, 62.9, 61.1, 36.5, 55.0, 43.0, 34.0, 72.5, 99.3}},
             {"Hybrid-Llama-1B, 30 attention heads",
              {39.3, 69.3, 75.0, 61.5, 62.2, 38.4, 54.0, 43.4, 33.1, 70.4, 98.0}},
             {"Hybrid-Llama-1B, 40 attention heads",
              {37.5, 68.9, 73.7, 61.8, 59.2, 37.6, 54.0, 44.0, 34.0, 71.1, 99.4}},
             {"Llama-3.2-1B, 512 attention heads", {38.1, 68.5, 74.4, 59.7, 60.8, 34.6, 60.1, 46.0, 33.1, 78.6, 99.3}}})
        experiment.paper.push_back(paperRow(label, kHybridPaperKeys, numbers));
    return experiment;
}

} // namespace headscope::experiments
