// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/scoring.h"

#include "core/engine/compare.h"

#include <chrono>

namespace headscope::app {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kStreamInterval = std::chrono::milliseconds(40);

ScoreLine lineOf(const std::string& task, const engine::Benchmark& benchmark, const engine::Comparison& comparison, bool final)
{
    const tasks::TaskSet& set = benchmark.set();
    ScoreLine line{.task = task, .metric = comparison.now.metric};
    line.baseline = comparison.baseline;
    line.now = comparison.now.value;
    line.delta = comparison.delta;
    line.low = comparison.interval.low;
    line.high = comparison.interval.high;
    line.p = comparison.p;
    line.test = comparison.test;
    line.n = comparison.n;
    line.total = static_cast<int>(set.examples.size());
    line.broken = comparison.broken;
    line.fixed = comparison.fixed;
    line.failed = comparison.now.failed;
    line.chance = set.leaves.empty() ? 0 : set.leaves.front().chance;
    line.hasBaseline = line.hasNow = comparison.n > 0;
    line.final = final;
    line.higherIsBetter = comparison.now.higherIsBetter;
    line.extent = comparison.now.extent;
    return line;
}

Result<ScoreLine> compared(const std::string& task, const engine::Benchmark& benchmark, const engine::Rows& baseline, const engine::Rows& now, bool final)
{
    const auto comparisons = engine::compare(benchmark.set(), baseline.results, now.results, {.resamples = final ? 10000 : 0});
    if (!comparisons.has_value())
        return comparisons.error();
    if (comparisons->empty()) // nothing judged yet, or every row failed
        return ScoreLine{.task = task, .total = static_cast<int>(benchmark.set().examples.size()), .final = final};
    return lineOf(task, benchmark, comparisons->front(), final);
}

} // namespace

Result<ScoreReply> scoreTasks(Backend::State& state, Slot slot, const std::vector<std::string>& tasks, const std::string& ablation,
                              const Backend::Reply<ScoreReply>& stream, const Control& control)
{
    const auto started = Clock::now();
    const auto model = state.opened(slot);
    if (!model.has_value())
        return model.error();
    const auto set = interventions::InterventionSet::parse(ablation);
    if (!set.has_value())
        return set.error();
    const auto edits = lm::resolve(*set, (*model)->loaded.model->spec(), (*model)->loaded.model->device(), state.donors(**model));
    if (!edits.has_value())
        return edits.error();

    ScoreReply reply{.ablation = set->canonical()};
    reply.fromLayer = edits->layers.empty() ? 0 : edits->layers.begin()->first;
    for (const std::string& task : tasks)
        reply.lines.push_back({.task = task});
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto benchmark = state.benchmark(**model, tasks[i]);
        if (!benchmark.has_value())
            return benchmark.error();
        auto last = Clock::now();
        const auto show = [&](const engine::Rows& baseline, const engine::Rows& now) {
            if (Clock::now() - last < kStreamInterval)
                return;
            last = Clock::now();
            if (auto line = compared(tasks[i], **benchmark, baseline, now, false); line.has_value()) {
                reply.lines[i] = *line;
                reply.seconds = std::chrono::duration<double>(last - started).count();
                stream(std::make_shared<const ScoreReply>(reply));
            }
        };
        const auto baseline = state.rows(**model, **benchmark, {}, [&](const engine::Rows& rows) { show(rows, rows); }, control);
        if (!baseline.has_value())
            return baseline.error();
        const auto now = state.rows(**model, **benchmark, *set, [&](const engine::Rows& rows) { show(**baseline, rows); }, control);
        if (!now.has_value())
            return now.error();
        auto line = compared(tasks[i], **benchmark, **baseline, **now, true);
        if (!line.has_value())
            return line.error();
        reply.lines[i] = *line;
        reply.examples += line->total;
        reply.seconds = std::chrono::duration<double>(Clock::now() - started).count();
        if (i + 1 < tasks.size())
            stream(std::make_shared<const ScoreReply>(reply));
        control.progress("scoring", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(tasks.size()));
    }
    reply.final = true;
    return reply;
}

Result<std::vector<FlipRow>> flippedRows(Backend::State& state, Slot slot, const std::string& task, const std::string& ablation, const Control& control)
{
    const auto model = state.opened(slot);
    if (!model.has_value())
        return model.error();
    const auto set = interventions::InterventionSet::parse(ablation);
    if (!set.has_value())
        return set.error();
    const auto benchmark = state.benchmark(**model, task);
    if (!benchmark.has_value())
        return benchmark.error();
    const auto baseline = state.rows(**model, **benchmark, {}, {}, control);
    if (!baseline.has_value())
        return baseline.error();
    const auto now = state.rows(**model, **benchmark, *set, {}, control);
    if (!now.has_value())
        return now.error();
    std::vector<FlipRow> flips;
    const auto& examples = (*benchmark)->set().examples;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto& before = (*baseline)->results[i].judgement;
        const auto& after = (*now)->results[i].judgement;
        if (!before || !after || before->correct == after->correct)
            continue;
        const tasks::Example& example = examples[i];
        flips.push_back({.hash = (*benchmark)->hashes()[i], .sample = static_cast<int>(i),
                         .prompt = example.context.empty() && !example.contexts.empty() ? example.contexts.front() : example.context,
                         .broken = before->correct, .gold = example.gold, .before = before->prediction, .after = after->prediction,
                         .choices = example.continuations, .logLikelihoodsBefore = (*baseline)->outcomes[i]->logLikelihoods,
                         .logLikelihoodsAfter = (*now)->outcomes[i]->logLikelihoods});
    }
    return flips;
}

} // namespace headscope::app
