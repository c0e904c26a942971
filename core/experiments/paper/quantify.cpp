// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

constexpr std::size_t kQuantifyPrompts = 32; // patterns are looked at on so many; a removal is measured on all

Result<std::vector<engine::RankedHead>> scores(Lab& lab, Bench& bench, const engine::Benchmark& benchmark,
                                               engine::PatternScore which)
{
    if (lab.planning())
        return std::vector<engine::RankedHead>();
    return engine::rankByPattern(*bench.model, {benchmark.set(), *bench.tokenizer, bench.bos, 0, kQuantifyPrompts},
                                 which, {}, lab.control());
}

double valueOf(const std::vector<engine::RankedHead>& heads, const HeadRef& head)
{
    const auto found =
        std::find_if(heads.begin(), heads.end(), [&](const engine::RankedHead& one) { return one.head == head; });
    return found == heads.end() ? 0 : found->value;
}

Result<void> measureQuantify(Lab& lab, Bench& bench)
{
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto ranked = lab.rank(bench, task);
    if (!ranked.has_value())
        return ranked.error();
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    lab.count(**benchmark, 2);
    const auto gather = scores(lab, bench, **benchmark, engine::PatternScore::Gather);
    if (!gather.has_value())
        return gather.error();
    const auto aggregate = scores(lab, bench, **benchmark, engine::PatternScore::Aggregate);
    if (!aggregate.has_value())
        return aggregate.error();
    for (const engine::RankedHead& head : ranked->heads) {
        if (std::find(ranked->live.begin(), ranked->live.end(), head.head) == ranked->live.end())
            continue; // a pruned head has no output, so its pattern reaches nobody
        const double g = valueOf(*gather, head.head), a = valueOf(*aggregate, head.head);
        lab.add({{bench.name, nameOf(bench.spec(), head.head), g, a, std::max(g, a), -head.delta}});
    }
    return {};
}

std::vector<double> column(const Table& table, const std::string& key)
{
    std::vector<double> values;
    for (const Row& row : table.rows)
        values.push_back(table.value(row, key).value_or(0));
    return values;
}

std::string findingQuantify(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ")
                + translated("{}, {} heads that have an output, Spearman's rank correlation with the cost of removal:",
                             model, own.rows.size());
        for (const std::string key : {"gather", "aggregate", "either"}) {
            const auto correlation = analysis::spearman(column(own, key), column(own, "cost"));
            text += " " + heading(own, key) + " ";
            text += correlation.has_value()
                        ? shown(correlation->rho, Unit::Number) + " (p = " + shown(correlation->p, Unit::Number) + "),"
                        : translated("not defined") + ",";
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeQuantify(const Evidence& evidence)
{
    const Table& table = evidence.table();
    if (table.rows.size() < 10)
        return {Verdict::CanNotTell, translated("{} heads with an output are too few", table.rows.size())};
    const auto correlation = analysis::spearman(column(table, "either"), column(table, "cost"));
    if (!correlation.has_value())
        return {Verdict::CanNotTell, translated("the correlation is not defined")};
    const std::string numbers = translated("rho = {}, p = {}, {} heads", shown(correlation->rho, Unit::Number),
                                           shown(correlation->p, Unit::Number), correlation->n);
    if (correlation->p >= kLevel || correlation->rho <= 0)
        return {Verdict::DoesNotAppear, numbers};
    return {correlation->rho >= 0.5 ? Verdict::Appears : Verdict::InPart, numbers};
}

} // namespace

Experiment quantify()
{
    return {.id = "quantify",
            .title = "Do scores of a head's pattern predict what its removal costs?",
            .question = "Do scores of a head's pattern predict what its ablation costs?",
            .claim = "",
            .source = "Bick, Xing and Gu 2025, talk, what's next",
            .rule = "Appears: the larger of gather and aggregate score correlates with the cost of ablation "
                    "(Spearman's rho at least 0.5, p < 0.05) over at least 10 heads that have an output. In part: a "
                    "significant correlation "
                    "below 0.5. Fewer heads: inconclusive.",
            .setting = "Not in the paper; its outlook asks how to quantify gather-and-aggregate.",
            .scaled = "toy_kv with 8 pairs; patterns of the first 32 prompts.",
            .assumed = "Gather score: share of a value's row on the other tokens of its own pair. Aggregate "
                       "score: share of the last row on the values. The cost is the accuracy "
                       "lost when the head is zeroed.",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer", "tiny-hybrid"},
            .columns = {{"model", "model"},
                        {"head", "head"},
                        {"gather", "gather score", Unit::Number},
                        {"aggregate", "aggregate score", Unit::Number},
                        {"either", "larger of both", Unit::Number},
                        {"cost", "cost of removal", Unit::Share}},
            .charts = {{"Cost of removal against pattern scores", "either", {"cost"}, {"model"}, Chart::Kind::Points}},
            .run = eachModel(measureQuantify),
            .finding = findingQuantify,
            .judge = byModel(judgeQuantify)};
}

} // namespace headscope::experiments
