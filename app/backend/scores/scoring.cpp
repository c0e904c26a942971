// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/scores/scoring.h"

#include "app/workbench/scores/measure.h"

#include <limits>

namespace headscope::app {

namespace {

BenchmarkScore lineOf(const std::string& task, const engine::Benchmark& benchmark, const engine::Comparison& comparison,
                      bool final)
{
    const tasks::TaskSet& set = benchmark.set();
    BenchmarkScore line{.task = task, .metric = comparison.now.metric};
    line.baseline = comparison.baseline;
    line.now = comparison.now.value;
    line.delta = comparison.delta;
    line.low = line.high = std::numeric_limits<double>::quiet_NaN();
    if (comparison.interval.known()) {
        line.low = comparison.interval.low;
        line.high = comparison.interval.high;
    }
    line.p = comparison.p;
    line.test = comparison.test;
    line.intervalKind = comparison.kind;
    line.n = comparison.n;
    line.total = static_cast<int>(set.examples.size());
    line.broken = comparison.broken;
    line.fixed = comparison.fixed;
    line.failed = comparison.now.failed;
    line.chance = comparison.now.chance;
    line.hasBaseline = line.hasNow = comparison.n > 0;
    line.final = final;
    line.higherIsBetter = comparison.now.higherIsBetter;
    line.extent = comparison.now.extent;
    line.leaf = comparison.now.task;
    line.commonPrefix = !set.leaves.empty() && engine::isFromCommonPrefix(set.leaves.front().version);
    if (comparison.anytime && !final) {
        line.low = comparison.anytime->interval.low;
        line.high = comparison.anytime->interval.high;
        line.p = comparison.anytime->p;
        line.test = comparison.anytime->test;
        line.intervalKind = engine::Anytime::kKind;
        line.decided = line.low > 0 || line.high < 0;
    } else if (!final) { // its test is of one look at all rows, and the interval too
        line.p = line.low = line.high = std::numeric_limits<double>::quiet_NaN();
        line.test.clear();
    }
    return line;
}

} // namespace

Result<BenchmarkScore> compared(const Settings& settings, const std::string& task, const engine::Benchmark& benchmark,
                                const engine::Rows& reference, const engine::Rows& now, bool final)
{
    const auto comparisons = engine::compare(benchmark.set(), reference.results, now.results, {.anytime = !final});
    if (!comparisons.has_value())
        return comparisons.error();
    if (comparisons->empty()) // nothing judged yet, or every row failed
        return BenchmarkScore{.task = task, .total = static_cast<int>(benchmark.set().examples.size()), .final = final};
    BenchmarkScore line = lineOf(task, benchmark, comparisons->front(), final);
    line.stopped = !final && isEnough(settings, comparisons->front());
    return line;
}

Result<SideModel> sideModel(Models& models, const ModelState& of)
{
    auto model = models.opened(of.side);
    if (!model.has_value())
        return model.error();
    return SideModel{std::move(*model), of.ablation};
}

Result<PairedBenchmark> pairedBenchmark(Models& models, const SideModel& now, const SideModel& reference,
                                        const std::string& task)
{
    const auto own = models.benchmark(*now.model, task);
    if (!own.has_value())
        return own.error();
    const auto other = models.benchmark(*reference.model, task);
    if (!other.has_value())
        return other.error();
    if ((*own)->set().examples.size() != (*other)->set().examples.size())
        return inputError("The two models read different rows of '" + task + "', so they cannot be compared on it.");
    return PairedBenchmark{*own, *other};
}

Result<std::vector<FlipRow>> flippedRows(Models& models, const ModelState& now, const ModelState& reference,
                                         const std::string& task, const Control& control)
{
    const auto after = sideModel(models, now);
    if (!after.has_value())
        return after.error();
    const auto before = sideModel(models, reference);
    if (!before.has_value())
        return before.error();
    const auto paired = pairedBenchmark(models, *after, *before, task);
    if (!paired.has_value())
        return paired.error();
    const engine::Benchmark& benchmark = *paired->now;
    if (const auto ran = models.run(*before->model, paired->reference, before->set, {}, {}, control); !ran.has_value())
        return ran.error();
    if (const auto ran = models.run(*after->model, paired->now, after->set, {}, {}, control); !ran.has_value())
        return ran.error();
    const auto was = models.known(*before->model, paired->reference, before->set);
    const auto is = models.known(*after->model, paired->now, after->set);
    if (!was.has_value() || !is.has_value())
        return was.has_value() ? is.error() : was.error();
    std::vector<FlipRow> flips;
    const auto& examples = benchmark.set().examples;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto& judgedBefore = (*was)->results[i].judgement;
        const auto& judgedNow = (*is)->results[i].judgement;
        if (!judgedBefore || !judgedNow || judgedBefore->correct == judgedNow->correct)
            continue;
        const tasks::Example& example = examples[i];
        flips.push_back({.hash = benchmark.hashes()[i],
                         .sample = static_cast<int>(i),
                         .prompt = example.context.empty() && !example.contexts.empty() ? example.contexts.front()
                                                                                        : example.context,
                         .broken = judgedBefore->correct,
                         .gold = example.gold,
                         .before = judgedBefore->prediction,
                         .after = judgedNow->prediction,
                         .choices = example.continuations,
                         .logLikelihoodsBefore = (*was)->outcomes[i]->logLikelihoods,
                         .logLikelihoodsAfter = (*is)->outcomes[i]->logLikelihoods});
    }
    return flips;
}

Job<std::vector<FlipRow>> jobOf(const FlipsRequest& request)
{
    return {.urgency = engine::Urgency::Score,
            .step = [request](Models& models, const engine::Turn& turn,
                              const Send<std::vector<FlipRow>>& send) -> Result<engine::Next> {
                auto rows = flippedRows(models, request.now, request.reference, request.task, turn);
                if (!rows.has_value())
                    return rows.error();
                send(std::make_shared<const std::vector<FlipRow>>(std::move(*rows)));
                return engine::Next::End;
            }};
}

} // namespace headscope::app
