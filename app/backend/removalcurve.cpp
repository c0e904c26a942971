// SPDX-License-Identifier: GPL-3.0-or-later
// The score while the heads of a ranking go one after the other, beside as many heads drawn at random.
#include "app/backend/backend.h"
#include "app/backend/state.h"
#include "app/workbench/portion.h"
#include "core/base/shuffle.h"
#include "core/engine/ranking/rank.h"

#include <algorithm>

namespace headscope::app {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

/// One measurement to make: the first `count` of an order.
struct Measurement {
    std::size_t order = 0; ///< 0: the ranking; else a draw
    int count = 0;
};

struct CurveJob {
    std::shared_ptr<Backend::Opened> model;
    std::shared_ptr<const engine::Benchmark> benchmark;
    std::vector<std::vector<HeadRef>> orders;
    std::vector<Measurement> todo; ///< the points from left to right
    std::size_t next = 0;
    std::optional<engine::Rows> partial; ///< of the next measurement, which is not over
    RemovalCurveReply reply;
};

// 0, 1, 2, 3, 4, then wider and wider steps: the first heads tell most.
std::vector<int> counts(int most)
{
    std::vector<int> all;
    for (int count = 0; count < most; count += std::max(1, count / 4))
        all.push_back(count);
    all.push_back(most);
    return all;
}

Result<void> startCurve(CurveJob& job, Backend::State& state, Side side, int limit, const std::vector<HeadRef>& order,
                        int draws, std::uint64_t seed)
{
    const auto model = state.opened(side);
    if (!model.has_value())
        return model.error();
    const auto benchmark = state.benchmark(**model, job.reply.task, limit);
    if (!benchmark.has_value())
        return benchmark.error();
    job.model = *model;
    job.benchmark = *benchmark;
    job.orders.push_back(order);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<HeadRef> all = engine::allHeads((*model)->loaded.model->spec());
        shuffle(all, random);
        job.orders.push_back(std::move(all));
    }
    for (const int count : counts(static_cast<int>(order.size())))
        for (std::size_t which = 0; which < (count == 0 ? 1 : job.orders.size()); ++which)
            job.todo.push_back({which, count});
    const tasks::TaskSet& set = job.benchmark->set();
    job.reply.chance = set.leaves.empty() ? 0 : set.leaves.front().chance;
    job.reply.examples = static_cast<int>(set.examples.size());
    job.reply.draws = draws;
    return {};
}

InterventionSet setOf(const CurveJob& job, const Measurement& measurement)
{
    std::vector<interventions::Intervention> items;
    const std::vector<HeadRef>& order = job.orders[measurement.order];
    for (int i = 0; i < measurement.count && i < static_cast<int>(order.size()); ++i)
        items.push_back(interventions::EditHead{.head = order[static_cast<std::size_t>(i)]});
    return InterventionSet(std::move(items));
}

Result<double> scoreOf(CurveJob& job, const engine::Rows& rows)
{
    const auto scores = tasks::aggregate(job.benchmark->set(), rows.results, {.bootstrapResamples = 0});
    if (!scores.has_value())
        return scores.error();
    if (scores->empty())
        return inputError("No row of '" + job.reply.task + "' could be scored, so there is no curve.");
    job.reply.metric = scores->front().metric;
    return scores->front().value;
}

// Some rows of the next measurement; behind its last ones its point.
Result<void> stepCurve(CurveJob& job, const Control& control)
{
    const Measurement& measurement = job.todo[job.next];
    if (!job.partial)
        job.partial = job.benchmark->emptyRows();
    const auto ran = runPortion(*job.model, *job.benchmark, setOf(job, measurement), *job.partial, control);
    if (!ran.has_value())
        return ran.error();
    if (*ran)
        return {};
    const auto score = scoreOf(job, *job.partial);
    if (!score.has_value())
        return score.error();
    job.partial.reset();
    if (measurement.count == 0)
        job.reply.baseline = *score;
    if (measurement.order == 0)
        job.reply.points.push_back({.heads = measurement.count, .top = *score, .random = {}});
    if (measurement.order > 0 || measurement.count == 0)
        job.reply.points.back().random.push_back(*score);
    ++job.next;
    job.reply.final = job.next == job.todo.size();
    control.progress("removing heads", static_cast<std::int64_t>(job.next), static_cast<std::int64_t>(job.todo.size()));
    return {};
}

} // namespace

Ticket Backend::removalCurve(Side side, const std::string& task, int limit, const std::vector<HeadRef>& order,
                             int draws, std::uint64_t seed, Reply<RemovalCurveReply> done, Failed failed, Report report)
{
    State* state = m_state.get();
    auto job = std::make_shared<CurveJob>();
    job->reply.task = task;
    const auto step = [=](const engine::Turn& turn) -> Result<engine::Next> {
        Result<void> result;
        if (!job->model)
            result = startCurve(*job, *state, side, limit, order, draws, seed);
        if (result.has_value())
            result = stepCurve(*job, turn);
        if (!result.has_value())
            return result.error();
        if (!job->partial)
            done(std::make_shared<const RemovalCurveReply>(job->reply));
        return job->reply.final ? engine::Next::End : engine::Next::Again;
    };
    return state->postSteps(engine::Urgency::Background, step, failed, std::move(report));
}

} // namespace headscope::app
