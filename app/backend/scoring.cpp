// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/scoring.h"

#include "app/workbench/measure.h"

#include <chrono>

namespace headscope::app {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kStreamInterval = std::chrono::milliseconds(40);

BenchmarkScore lineOf(const std::string& task, const engine::Benchmark& benchmark, const engine::Comparison& comparison,
                      bool final)
{
    const tasks::TaskSet& set = benchmark.set();
    BenchmarkScore line{.task = task, .metric = comparison.now.metric};
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

Result<BenchmarkScore> compared(const Settings& settings, const std::string& task, const engine::Benchmark& benchmark,
                                const engine::Rows& baseline, const engine::Rows& now, bool final)
{
    const auto comparisons = compareRows(settings, benchmark, baseline, now, final);
    if (!comparisons.has_value())
        return comparisons.error();
    if (comparisons->empty()) // nothing judged yet, or every row failed
        return BenchmarkScore{.task = task, .total = static_cast<int>(benchmark.set().examples.size()), .final = final};
    return lineOf(task, benchmark, comparisons->front(), final);
}

/// A state with its model and its benchmark.
struct SideModel {
    std::shared_ptr<Backend::Opened> model;
    interventions::InterventionSet set;
};

Result<SideModel> sideModel(Backend::State& state, const ModelState& of)
{
    auto model = state.opened(of.side);
    if (!model.has_value())
        return model.error();
    return SideModel{std::move(*model), of.ablation};
}

/// The rows of both states on one task. `show` hears of the rows known so far.
struct Measured {
    std::shared_ptr<const engine::Benchmark> benchmark; ///< of the state now
    const engine::Rows* reference = nullptr;
    const engine::Rows* now = nullptr;
};

using Show = std::function<void(const engine::Benchmark&, const engine::Rows& reference, const engine::Rows& now)>;

Result<Measured> measureBoth(Backend::State& state, const SideModel& now, const SideModel& reference,
                             const std::string& task, const Show& show, const Control& control)
{
    const auto benchmark = state.benchmark(*now.model, task);
    if (!benchmark.has_value())
        return benchmark.error();
    const auto other = state.benchmark(*reference.model, task);
    if (!other.has_value())
        return other.error();
    if ((*benchmark)->set().examples.size() != (*other)->set().examples.size())
        return inputError("The two models read different rows of '" + task + "', so they can not be compared on it.");
    const auto before = state.rows(
        *reference.model, **other, reference.set, [&](const engine::Rows& rows) { show(**benchmark, rows, rows); },
        control);
    if (!before.has_value())
        return before.error();
    const auto after = state.rows(
        *now.model, **benchmark, now.set, [&](const engine::Rows& rows) { show(**benchmark, **before, rows); },
        control);
    if (!after.has_value())
        return after.error();
    return Measured{*benchmark, *before, *after};
}

} // namespace

Result<ScoreReply> scoreTasks(Backend::State& state, const ModelState& now, const ModelState& reference,
                              const std::vector<std::string>& tasks, const Backend::Reply<ScoreReply>& stream,
                              const Control& control)
{
    const auto started = Clock::now();
    const auto after = sideModel(state, now);
    if (!after.has_value())
        return after.error();
    const auto before = sideModel(state, reference);
    if (!before.has_value())
        return before.error();
    const lm::Model& network = *after->model->loaded.model;
    const auto edits = lm::resolve(after->set, network.spec(), after->model->donors);
    if (!edits.has_value())
        return edits.error();

    ScoreReply reply{.ablation = now.ablation, .reference = reference};
    reply.fromLayer = edits->layers.empty() ? 0 : edits->layers.begin()->first;
    for (const std::string& task : tasks)
        reply.lines.push_back({.task = task});
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto last = Clock::now();
        const auto show = [&](const engine::Benchmark& benchmark, const engine::Rows& one, const engine::Rows& two) {
            if (Clock::now() - last < kStreamInterval)
                return;
            last = Clock::now();
            if (auto line = compared(state.options(), tasks[i], benchmark, one, two, false); line.has_value()) {
                reply.lines[i] = *line;
                reply.seconds = std::chrono::duration<double>(last - started).count();
                stream(std::make_shared<const ScoreReply>(reply));
            }
        };
        const auto measured = measureBoth(state, *after, *before, tasks[i], show, control);
        auto line = measured.has_value() ? compared(state.options(), tasks[i], *measured->benchmark,
                                                    *measured->reference, *measured->now, true)
                                         : Result<BenchmarkScore>(measured.error());
        if (!line.has_value() && line.error().kind == Error::Kind::Cancelled)
            return line.error();
        reply.lines[i] =
            line.has_value() ? *line : BenchmarkScore{.task = tasks[i], .final = true, .problem = line.error().message};
        reply.examples += reply.lines[i].total;
        reply.seconds = std::chrono::duration<double>(Clock::now() - started).count();
        if (i + 1 < tasks.size())
            stream(std::make_shared<const ScoreReply>(reply));
        control.progress("scoring", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(tasks.size()));
    }
    reply.final = true;
    return reply;
}

Result<std::vector<FlipRow>> flippedRows(Backend::State& state, const ModelState& now, const ModelState& reference,
                                         const std::string& task, const Control& control)
{
    const auto after = sideModel(state, now);
    if (!after.has_value())
        return after.error();
    const auto before = sideModel(state, reference);
    if (!before.has_value())
        return before.error();
    const auto measured = measureBoth(
        state, *after, *before, task, [](const auto&, const auto&, const auto&) {}, control);
    if (!measured.has_value())
        return measured.error();
    const engine::Benchmark& benchmark = *measured->benchmark;
    std::vector<FlipRow> flips;
    const auto& examples = benchmark.set().examples;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto& was = measured->reference->results[i].judgement;
        const auto& is = measured->now->results[i].judgement;
        if (!was || !is || was->correct == is->correct)
            continue;
        const tasks::Example& example = examples[i];
        flips.push_back({.hash = benchmark.hashes()[i],
                         .sample = static_cast<int>(i),
                         .prompt = example.context.empty() && !example.contexts.empty() ? example.contexts.front()
                                                                                        : example.context,
                         .broken = was->correct,
                         .gold = example.gold,
                         .before = was->prediction,
                         .after = is->prediction,
                         .choices = example.continuations,
                         .logLikelihoodsBefore = measured->reference->outcomes[i]->logLikelihoods,
                         .logLikelihoodsAfter = measured->now->outcomes[i]->logLikelihoods});
    }
    return flips;
}

} // namespace headscope::app
