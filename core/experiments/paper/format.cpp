// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

namespace {

Result<void> measureFormat(Lab& lab, Bench& bench)
{
    const auto ranked = lab.rank(bench, bench.suite.kv(bench.suite.pairs()));
    if (!ranked.has_value())
        return ranked.error();
    const std::string chat = bench.suite.toy ? bench.suite.mmlu : "arc_challenge_chat",
                      regular = bench.suite.toy ? bench.suite.knowledge : "arc_challenge";
    if (bench.suite.toy)
        lab.addNote(
            "{}: facts asked with lettered options ({}) stand for the chat form, as the end of a sentence ({}) for "
            "the regular one.",
            bench.name, chat, regular);
    std::vector<Measured> first;
    int paper = bench.layers() == 28 ? 0 : 4;
    for (const int count : bench.suite.toy ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 10, 20, 30}) {
        const auto heads = firstOf(ranked->heads, static_cast<std::size_t>(count));
        std::vector<Cell> cells;
        for (const std::string& task : {chat, regular}) {
            const auto measured = lab.score(bench, task, without(heads));
            if (!measured.has_value())
                return measured.error();
            Cell cell = measured->cell();
            if (count == 0) {
                first.push_back(*measured);
            } else if (const Measured& before = first[cells.size()]; cell.value) {
                const auto contrast = lab.contrast(before, *measured);
                if (!contrast.has_value())
                    return contrast.error();
                cell.contrast = *contrast;
                if (before.value > 0)
                    cell.relative = *cell.value / before.value - 1;
            }
            cells.push_back(std::move(cell));
        }
        lab.add({{bench.name, count, namesOf(bench.spec(), heads), cells[0], cells[1]}, paper++});
    }
    return {};
}

std::string findingFormat(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        const Row &first = own.rows.front(), &last = own.rows.back();
        text += (text.empty() ? "" : " ")
                + translated("{}, without {}: {}.", model, own.text(last, "heads"),
                             changes(own, first, last, {"chat", "regular"}));
        if (const auto a = own.value(first, "chat"), b = own.value(last, "chat"), c = own.value(first, "regular"),
            d = own.value(last, "regular");
            a && b && c && d && !atFloor(own.cell(first, "chat")))
            text += " "
                    + translated(*a - *b > *c - *d ? "The form that asks for retrieval loses more."
                                                   : "The form that asks for retrieval does not lose more.");
    }
    return text;
}

Judgement judgeFormat(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const Row& last = table.rows.back();
    const auto &chat = table.cell(last, "chat").contrast, &regular = table.cell(last, "regular").contrast;
    if (!chat || !regular || !evidence.answers(evidence.first(), "chat")
        || !evidence.answers(evidence.first(), "regular"))
        return {Verdict::CanNotTell, translated("one of the two forms is not answered above the floor on enough rows")};
    const std::string numbers =
        evidence.change(evidence.first(), last, "chat") + ", " + evidence.change(evidence.first(), last, "regular");
    if (!evidence.falls(last, "chat") || chat->difference >= regular->difference)
        return {Verdict::DoesNotAppear, numbers};
    return {chat->interval.high < regular->interval.low ? Verdict::Appears : Verdict::InPart, numbers};
}

} // namespace

Experiment format()
{
    Experiment experiment{
        .number = "E7",
        .id = "format",
        .title = "ARC-Challenge in chat form and in regular form under the same removals",
        .question = "Does asking with letters need retrieval that asking plainly does not?",
        .claim = "The same ARC questions lose 36 to 44 % in chat form without 30 heads, and 8 to 13 % as completions.",
        .source = "Bick, Xing and Gu 2025, talk, retrieval can be triggered by task format",
        .rule = "Appears: without the most heads that were removed, the chat form falls (paired test, Holm, p < 0.05) "
                "by more than the regular form, the intervals of both changes apart. In part: the chat form falls by "
                "more, but the intervals overlap.",
        .setting = "Llama-3B and Llama-8B without the first 0, 10, 20 and 30 heads of the ranking; "
                   "ARC-Challenge asked in chat form and as a completion.",
        .scaled = "The same facts as lettered questions (toy_mc) and as completions (toy_knowledge), "
                  "without 0 to 3 of 32 heads.",
        .assumed = "Chat form: arc_challenge_chat of lm-evaluation-harness 0.4.8, which 0.4.7 does "
                   "not have; the model's own chat template is not put around it.",
        .needs = {"kv_retrieval", "arc_challenge"},
        .models = {"tiny-transformer"},
        .paperModels = {"meta-llama/Llama-3.2-3B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"},
        .columns = {{"model", "model"},
                    {"removed", "removed", Unit::Count},
                    {"heads", "heads"},
                    {"chat", "ARC-C (chat)", Unit::Share, Source::Benchmark},
                    {"regular", "ARC-C", Unit::Share, Source::Benchmark}},
        .charts = {{"Two forms against heads removed", "removed", {"chat", "regular"}, {"model"}}},
        .run = eachModel(measureFormat),
        .finding = findingFormat,
        .judge = byModel(judgeFormat)};
    const double numbers[][2] = {{76.8, 45.5}, {72.2, 43.6}, {50.0, 42.0}, {43.2, 41.9},
                                 {84.3, 54.9}, {77.1, 51.6}, {49.3, 47.3}, {53.6, 47.9}};
    for (int i = 0; i < 8; ++i)
        experiment.paper.push_back(
            paperRow(std::string(i < 4 ? "Llama-3B, " : "Llama-8B, ") + std::to_string(10 * (i % 4)) + " heads removed",
                     {"chat", "regular"}, {numbers[i][0], numbers[i][1]}));
    return experiment;
}

} // namespace headscope::experiments
