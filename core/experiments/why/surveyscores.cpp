// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

#include <algorithm>
#include <map>

namespace headscope::experiments {

namespace {

constexpr std::size_t kSurveyScoresPrompts = 32; // whose maps are surveyed; a removal is measured on all
constexpr std::size_t kFewestHeads = 10;
constexpr double kStrong = 0.5;

/// Gather and aggregate score of each head, on the first prompt and as the mean over all that are surveyed.
struct Scores {
    double one = 0, many = 0;
};

/// What was found of a head by looking at it.
struct Looked {
    Scores gather, aggregate;
    std::vector<double> either; ///< the larger of both, by prompt
};

Result<std::map<HeadRef, Looked>> lookSurveyScores(Lab& lab, Bench& bench, const engine::Benchmark& benchmark)
{
    const std::size_t count = std::min(kSurveyScoresPrompts, benchmark.set().examples.size());
    std::map<HeadRef, Looked> heads;
    for (std::size_t i = 0; i < count; ++i) {
        std::map<HeadRef, double> larger;
        for (const auto which : {engine::PatternScore::Gather, engine::PatternScore::Aggregate}) {
            const auto scored = engine::rankByPattern(
                *bench.model, {benchmark.set(), *bench.tokenizer, bench.bos, i, i + 1}, which, {}, lab.control());
            if (!scored.has_value())
                return scored.error();
            for (const engine::RankedHead& head : *scored) {
                Looked& looked = heads[head.head];
                Scores& scores = which == engine::PatternScore::Gather ? looked.gather : looked.aggregate;
                if (i == 0)
                    scores.one = head.value;
                scores.many += head.value / static_cast<double>(count);
                larger[head.head] = std::max(larger[head.head], head.value);
            }
        }
        for (const auto& [head, value] : larger)
            heads[head].either.push_back(value);
    }
    return heads;
}

/// How the correlations of single prompts spread, in the reader's words.
void addSpread(Lab& lab, const Bench& bench, const std::vector<std::vector<double>>& byHead,
               const std::vector<double>& odds)
{
    std::vector<double> found;
    const std::size_t prompts = byHead.empty() ? 0 : byHead.front().size();
    for (std::size_t i = 0; i < prompts; ++i) {
        std::vector<double> scores;
        for (const std::vector<double>& head : byHead)
            scores.push_back(head[i]);
        if (const auto correlation = analysis::spearman(scores, odds); correlation.has_value())
            found.push_back(correlation->rho);
    }
    if (found.empty())
        return;
    std::sort(found.begin(), found.end());
    lab.addNote("{}: taken one at a time, the scores of {} prompts correlate with the log odds lost between {} and {} "
                "(median {}).",
                bench.name, found.size(), shown(found.front(), Unit::Number), shown(found.back(), Unit::Number),
                shown(found[found.size() / 2], Unit::Number));
}

Result<void> measureSurveyScores(Lab& lab, Bench& bench)
{
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto ranked = lab.rank(bench, task);
    if (!ranked.has_value())
        return ranked.error();
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    lab.count(**benchmark, 2);
    if (lab.planning())
        return {};
    const auto looked = lookSurveyScores(lab, bench, **benchmark);
    if (!looked.has_value())
        return looked.error();
    std::vector<std::vector<double>> either;
    std::vector<double> odds;
    for (const engine::RankedHead& head : ranked->heads) {
        const auto seen = looked->find(head.head);
        const bool live = std::find(ranked->live.begin(), ranked->live.end(), head.head) != ranked->live.end();
        if (!live || seen == looked->end())
            continue; // a pruned head has no output, so its pattern reaches nobody
        const auto& [gather, aggregate, byPrompt] = seen->second;
        either.push_back(byPrompt);
        odds.push_back(-head.margin);
        lab.add({{bench.name, nameOf(bench.spec(), head.head), gather.one, aggregate.one, byPrompt.front(), gather.many,
                  aggregate.many, std::max(gather.many, aggregate.many), 0.0 - head.delta, 0.0 - head.margin}});
    }
    addSpread(lab, bench, either, odds);
    return {};
}

/// Rank correlation of two columns, and how sure it is.
struct Found {
    analysis::Correlation correlation;
    std::optional<analysis::Interval> interval;

    [[nodiscard]] std::string text() const
    {
        return shown(correlation.rho, Unit::Number)
               + (interval
                      ? " [" + shown(interval->low, Unit::Number) + ", " + shown(interval->high, Unit::Number) + "]"
                      : std::string());
    }
};

std::optional<Found> between(const Table& table, const std::string& x, const std::string& y)
{
    std::vector<double> first, second;
    for (const Row& row : table.rows) {
        first.push_back(table.value(row, x).value_or(0));
        second.push_back(table.value(row, y).value_or(0));
    }
    const auto correlation = analysis::spearman(first, second);
    if (!correlation.has_value())
        return std::nullopt;
    return Found{*correlation, analysis::rankInterval(*correlation)};
}

std::string correlationText(const Table& table, const std::string& x, const std::string& y)
{
    const auto found = between(table, x, y);
    return found ? found->text() : translated("not defined");
}

std::string findingSurveyScores(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ")
                + translated(
                    "{}, {} heads that have an output: the log odds that removal costs correlate (Spearman's rho) "
                    "with the gather score of one prompt by {}, of many by {}; with the aggregate score by {} and "
                    "{}; with the larger of both by {} and {}. One prompt's larger score and that of many correlate "
                    "by {}.",
                    model, own.rows.size(), correlationText(own, "gather_one", "odds"),
                    correlationText(own, "gather", "odds"), correlationText(own, "aggregate_one", "odds"),
                    correlationText(own, "aggregate", "odds"), correlationText(own, "either_one", "odds"),
                    correlationText(own, "either", "odds"), correlationText(own, "either_one", "either"));
    }
    return text;
}

Judgement judgeSurveyScores(const Evidence& evidence)
{
    const Table& table = evidence.table();
    if (table.rows.size() < kFewestHeads)
        return {Verdict::CanNotTell, translated("{} heads with an output are too few", table.rows.size())};
    const auto found = between(table, "either_one", "odds");
    if (!found)
        return {Verdict::CanNotTell, translated("the correlation is not defined")};
    const std::string numbers = translated("rho = {}, {} heads", found->text(), found->correlation.n);
    // A correlation of 1 or -1 has no interval, and needs none.
    if ((found->interval ? found->interval->low : found->correlation.rho) <= 0)
        return {Verdict::DoesNotAppear, numbers};
    return {found->correlation.rho >= kStrong ? Verdict::Appears : Verdict::InPart, numbers};
}

} // namespace

Experiment surveyGatherAggregate()
{
    return {
        .id = "survey-gather-aggregate",
        .title = "Do gather and aggregate scores of one prompt predict the cost of removal over many?",
        .question = "Do gather and aggregate scores of one prompt predict what removing a head costs over many?",
        .claim = "",
        .source = "beyond the paper: its talk's outlook, how to quantify gather-and-aggregate",
        .rule = "Appears: over at least 10 heads that have an output, the larger of a head's two scores on one "
                "prompt correlates with the log odds that its removal costs over many (Spearman's rho at least "
                "0.5, the 95 % interval above 0). In part: the interval is above "
                "0, rho below 0.5. Fewer heads: inconclusive.",
        .setting = "KV retrieval; scores of every head on the first prompt, and as means over 32.",
        .scaled = "toy_kv with 8 pairs.",
        .assumed = "Gather score: share of a value's row on the other tokens of its own pair; aggregate "
                   "score: share of the last row on the values; of SSM heads shares of |row|. Intervals "
                   "of correlations: Bonett and Wright 2000.",
        .needs = {"kv_retrieval"},
        .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
        .columns = {{"model", "model"},
                    {"head", "head"},
                    {"gather_one", "gather score, one prompt", Unit::Number},
                    {"aggregate_one", "aggregate score, one prompt", Unit::Number},
                    {"either_one", "larger of both, one prompt", Unit::Number},
                    {"gather", "gather score, 32 prompts", Unit::Number},
                    {"aggregate", "aggregate score, 32 prompts", Unit::Number},
                    {"either", "larger of both, 32 prompts", Unit::Number},
                    {"cost", "accuracy lost", Unit::Share},
                    {"odds", "log odds lost", Unit::Number}},
        .charts =
            {{"Log odds lost against one prompt's larger score",
              "either_one",
              {"odds"},
              {"model"},
              Chart::Kind::Points},
             {"Log odds lost against 32 prompts' larger score", "either", {"odds"}, {"model"}, Chart::Kind::Points}},
        .run = eachModel(measureSurveyScores),
        .finding = findingSurveyScores,
        .judge = byModel(judgeSurveyScores)};
}

} // namespace headscope::experiments
