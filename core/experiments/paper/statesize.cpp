// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/students.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

namespace {

Result<void> measureStateSize(Lab& lab, const std::shared_ptr<Bench>& teacher)
{
    const int kept = teacher->suite.toy ? 2 : 20;
    const auto plans = planStudents(lab, *teacher, {kept}, 0);
    if (!plans.has_value())
        return plans.error();
    Battery battery(lab, kStudentKeys);
    int paper = 0;
    for (const int state : {4, 8, 64}) {
        const auto bench = openStudent(lab, teacher, plans->front(), state);
        if (!bench.has_value())
            return bench.error();
        const Row row{{teacher->name, state, namesOf(teacher->spec(), plans->front().kept)}, paper++};
        if (const auto done = battery.add(**bench, row, {}); !done.has_value())
            return done;
    }
    return {};
}

std::string findingStateSize(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ")
                + translated("{}, {} kept as attention:", model, own.text(own.rows.front(), "heads"));
        for (const std::string& key : kStudentKeys) {
            std::string line;
            for (const Row& row : own.rows)
                if (own.value(row, key))
                    line += (line.empty() ? " " : ", ")
                            + translated("{} with state {}", percent(own.cell(row, key)),
                                         shown(*own.value(row, "state"), Unit::Count));
            if (!line.empty())
                text += " " + heading(own, key) + line + ";";
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeStateSize(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const Row& largest = table.rows.back();
    int possible = 0, within = 0;
    std::string numbers;
    for (const std::string key : {"mmlu", "knowledge"}) {
        const auto& contrast = table.cell(largest, key).contrast; // the largest state against the smallest
        if (!contrast || !evidence.carries(largest, key))
            continue;
        ++possible;
        within += contrast->interval.high < kMargin ? 1 : 0;
        numbers += (numbers.empty() ? "" : ", ") + evidence.change(evidence.first(), largest, key);
    }
    if (possible < 2)
        return {Verdict::CanNotTell, translated("knowledge and multiple choice were not both measured on enough rows")};
    return {within == 2 ? Verdict::Appears : within == 1 ? Verdict::InPart : Verdict::DoesNotAppear, numbers};
}

} // namespace

Experiment stateSize()
{
    Experiment experiment{
        .number = "E14",
        .id = "state-size",
        .title = "Accuracy against the state size of the SSM heads beside a few attention heads",
        .question = "Can the recurrent state be small where a few heads attend?",
        .claim = "Beside 20 attention heads a state of 8 instead of 64 numbers costs little but for KV retrieval, "
                 "which falls from 99 to 90 %.",
        .source = "Bick, Xing and Gu 2025, talk, fewer heads, simpler backbone",
        .rule = "Appears: knowledge and multiple choice of the smallest state are within 10 points of the largest "
                "state's (the interval of the change below +10 points). In part: one of them is.",
        .setting = "Hybrid-Llama-1B with 20 attention heads and SSM states of 4, 8 and 64 numbers a channel.",
        .scaled = "The tiny Transformer's 2 first heads kept, the other 30 distilled with the same three state sizes.",
        .assumed = "20 attention heads: the table's row for 64 equals that of 20 heads in the table of hybrids.",
        .needs = {"kv_retrieval", "mmlu", "knowledge"},
        .models = {"tiny-transformer"},
        .paperModels = {"meta-llama/Llama-3.2-1B-Instruct"},
        .columns = {{"model", "model"}, {"state", "state", Unit::Count}, {"heads", "kept"}},
        .charts = {{"Accuracy against state size", "state", kStudentKeys, {"model"}}},
        .run = eachTeacher(measureStateSize),
        .finding = findingStateSize,
        .judge = byModel(judgeStateSize)};
    addStudentColumns(experiment.columns);
    experiment.paper = {paperRow("Hybrid-Llama-1B, state 4", kHybridPaperKeys,
                                 {37.4, 68.2, 74.6, 61.6, 60.2, 37.6, 50.6, 37.0, 27.8, 69.0, 72.6}),
                        paperRow("Hybrid-Llama-1B, state 8", kHybridPaperKeys,
                                 {38.1, 69.6, 74.0, 61.9, 61.3, 38.2, 51.1, 41.0, 30.1, 71.0, 90.0}),
                        paperRow("Hybrid-Llama-1B, state 64", kHybridPaperKeys,
                                 {38.2, 69.3, 74.5, 62.9, 61.1, 36.5, 55.0, 43.0, 34.0, 72.5, 99.3})};
    return experiment;
}

} // namespace headscope::experiments
