// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/students.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

namespace {

constexpr int kPerplexityState = 16;

/// A perplexity beside that of the first student. Empty without a task.
Result<Cell> perplexityCell(Lab& lab, Bench& bench, const std::string& task, std::optional<Measured>& first)
{
    if (task.empty())
        return Cell();
    const auto measured = lab.perplexity(bench, task, {});
    if (!measured.has_value())
        return measured.error();
    Cell cell = measured->cell();
    if (!first)
        first = *measured;
    else if (const auto contrast = lab.contrast(*first, *measured); contrast.has_value())
        cell.contrast = *contrast;
    else
        return contrast.error();
    return cell;
}

Result<void> measurePerplexity(Lab& lab, const std::shared_ptr<Bench>& teacher)
{
    const Suite& suite = teacher->suite;
    const auto plans =
        planStudents(lab, *teacher, suite.toy ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 10, 20, 30, 40}, 0);
    if (!plans.has_value())
        return plans.error();
    std::vector<std::optional<Measured>> first(3);
    for (const StudentPlan& plan : *plans) {
        const auto bench = openStudent(lab, teacher, plan, kPerplexityState);
        if (!bench.has_value())
            return bench.error();
        Row row{{teacher->name, static_cast<int>(plan.kept.size()),
                 plan.teacher ? "all" : namesOf(teacher->spec(), plan.kept)}};
        const std::string tasks[] = {suite.lambada, suite.kv(suite.pairs()), suite.toy ? suite.mmlu : std::string()};
        for (std::size_t i = 0; i < std::size(tasks); ++i) {
            auto cell = perplexityCell(lab, **bench, tasks[i], first[i]);
            if (!cell.has_value())
                return cell.error();
            row.cells.push_back(std::move(*cell));
        }
        lab.add(std::move(row));
    }
    return {};
}

std::string findingPerplexity(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + ":";
        for (const std::string key : {"lambada", "kv", "mc"}) {
            std::string line;
            for (const Row& row : own.rows)
                if (const auto value = own.value(row, key))
                    line += (line.empty() ? " " : ", ")
                            + translated("{} with {}", shown(*value, Unit::Number),
                                         shown(*own.value(row, "k"), Unit::Count));
            if (!line.empty())
                text += " " + translated("{}{} attention heads;", heading(own, key), line);
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgePerplexity(const Evidence& evidence)
{
    const Table& table = evidence.table();
    std::vector<const Row*> students; // all but the teacher, the fewest heads first
    for (const Row& row : table.rows)
        if (table.text(row, "heads") != "all" && evidence.carries(row, "kv"))
            students.push_back(&row);
    if (students.size() < 3)
        return {Verdict::CanNotTell, translated("KV retrieval was not measured on enough students and rows")};
    const Row& most = *students.back();
    const double whole = table.cell(most, "kv").contrast->difference;
    const std::string numbers = evidence.change(*students.front(), most, "kv");
    if (!evidence.falls(most, "kv"))
        return {Verdict::DoesNotAppear, numbers};
    for (const Row* row : students)
        if (table.cell(*row, "kv").contrast && table.cell(*row, "kv").contrast->difference <= whole / 2
            && 3 * table.value(*row, "k").value_or(0) <= 2 * table.value(most, "k").value_or(0))
            return {Verdict::Appears, numbers};
    return {Verdict::InPart, numbers};
}

} // namespace

Experiment perplexity()
{
    return {.number = "E13",
            .id = "perplexity",
            .title = "Perplexity against the number of heads that stay attention",
            .question = "Do the first attention heads give most of the perplexity?",
            .claim = "Perplexity improves sharply with the first 10 to 20 heads and little with more.",
            .source = "Bick, Xing and Gu 2025, talk, retrieval improves perplexity",
            .rule = "Appears: with the most heads that were kept, the perplexity of KV retrieval is lower than without "
                    "attention (paired t test, Holm, p < 0.05), and half of the way (in nats) or more is reached with "
                    "at most two thirds of them. In part: lower, but later.",
            .setting = "Hybrids distilled from Llama-3.2-1B; the paper finds a sharp improvement with the first 10 to "
                       "20 heads and little after. The curve's numbers are printed nowhere.",
            .scaled = "Hybrids of the tiny Transformer with 0 to 3 of 32 heads; perplexity of the right word of "
                      "toy_knowledge, toy_kv and toy_mc.",
            .assumed = "The text on which the paper measures is not stated; here LAMBADA's last words stand for it.",
            .needs = {"kv_retrieval", "lambada_openai"},
            .models = {"tiny-transformer"},
            .paperModels = {"meta-llama/Llama-3.2-1B-Instruct"},
            .columns = {{"model", "model"},
                        {"k", "attention heads", Unit::Count},
                        {"heads", "kept"},
                        {"lambada", "LAMBADA, perplexity", Unit::Number, Source::Perplexity},
                        {"kv", "KV retrieval, perplexity", Unit::Number, Source::Perplexity},
                        {"mc", "multiple choice, perplexity", Unit::Number, Source::Perplexity}},
            .charts = {{"Perplexity against attention heads", "k", {"lambada", "kv", "mc"}, {"model"}}},
            .run = eachTeacher(measurePerplexity),
            .finding = findingPerplexity,
            .judge = byModel(judgePerplexity)};
}

} // namespace headscope::experiments
