// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/perplexity.h"

#include "core/experiments/students.h"

namespace headscope::experiments {

namespace {

constexpr int kState = 16;

Result<void> measure(Lab& lab, const std::shared_ptr<Bench>& teacher)
{
    const Suite& suite = teacher->suite;
    const auto plans =
        planStudents(lab, *teacher, suite.toy ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 10, 20, 30, 40}, 0);
    if (!plans.has_value())
        return plans.error();
    for (const StudentPlan& plan : *plans) {
        const auto bench = openStudent(lab, teacher, plan, kState);
        if (!bench.has_value())
            return bench.error();
        Row row{{teacher->name, static_cast<int>(plan.kept.size()),
                 plan.teacher ? "all" : namesOf(teacher->spec(), plan.kept)}};
        for (const std::string& task :
             {suite.lambada, suite.kv(suite.pairs()), suite.toy ? suite.mmlu : std::string()}) {
            if (task.empty()) {
                row.cells.emplace_back();
                continue;
            }
            const auto measured = lab.perplexity(**bench, task, {});
            if (!measured.has_value())
                return measured.error();
            row.cells.push_back(measured->cell());
        }
        lab.add(std::move(row));
    }
    return {};
}

Result<void> run(Lab& lab)
{
    return forEachTeacher(lab, measure);
}

std::string finding(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + ":";
        for (const std::string key : {"lambada", "kv", "mc"}) {
            std::string line;
            for (const Row& row : own.rows)
                if (const auto value = own.value(row, key))
                    line += (line.empty() ? " " : ", ") + shown(*value, Unit::Number) + " with "
                            + shown(*own.value(row, "k"), Unit::Count);
            if (!line.empty())
                text += " " + own.columns[own.column(key)].title + line + " attention heads;";
        }
        text.back() = '.';
    }
    return text;
}

} // namespace

Experiment perplexity()
{
    return {.number = "E13",
            .id = "perplexity",
            .title = "Perplexity against the number of heads that stay attention",
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
                        {"lambada", "last word ppl", Unit::Number},
                        {"kv", "KV-Retrieval ppl", Unit::Number},
                        {"mc", "multiple choice ppl", Unit::Number}},
            .charts = {{"Perplexity against attention heads", "k", {"lambada", "kv", "mc"}, {"model"}}},
            .run = run,
            .finding = finding};
}

} // namespace headscope::experiments
