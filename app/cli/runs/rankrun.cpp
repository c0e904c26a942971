// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/rankrun.h"

#include "app/cli/runs/prompt.h"
#include "core/engine/scoring/boundaryrule.h"
#include "core/engine/scoring/rankedtask.h"

#include <algorithm>
#include <chrono>

namespace headscope::cli {

using interventions::InterventionSet;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point started)
{
    return std::chrono::duration<double>(Clock::now() - started).count();
}

/// This process's heads, then everybody's, then those of processes that were lost.
Result<std::vector<engine::RankedHead>> removeTogether(engine::Processes& processes, const Context& context,
                                                       OpenModel& open, const engine::Benchmark& benchmark,
                                                       const InterventionSet& fixed,
                                                       const std::vector<interventions::HeadRef>& heads,
                                                       const std::vector<engine::RankedHead>& mine)
{
    auto gathered = gatherHeads(processes, heads, mine, context.control().stop);
    if (!gathered.has_value() || !processes.first())
        return gathered;
    const auto find = [](const std::vector<engine::RankedHead>& list, const interventions::HeadRef& head) {
        return std::find_if(list.begin(), list.end(), [&](const engine::RankedHead& one) { return one.head == head; });
    };
    std::vector<interventions::HeadRef> missing;
    for (const interventions::HeadRef& head : heads)
        if (find(*gathered, head) == gathered->end())
            missing.push_back(head);
    if (!missing.empty()) {
        const auto rest = rankHeads(context, open, benchmark, {.fixed = fixed, .heads = missing});
        if (!rest.has_value())
            return rest.error();
        gathered->insert(gathered->end(), rest->heads.begin(), rest->heads.end());
    }
    std::vector<engine::RankedHead> ordered;
    for (const interventions::HeadRef& head : heads)
        ordered.push_back(*find(*gathered, head));
    return ordered;
}

} // namespace

Result<Ranking> rankHeads(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                          const app::RankOptions& options)
{
    const auto started = Clock::now();
    const Control control = context.control();
    app::HeadRanking run(open, context.settings, benchmark, options);
    for (bool more = true; more;) {
        const auto stepped = run.step(open.store(), control);
        if (!stepped.has_value())
            return stepped.error();
        more = *stepped;
    }
    return Ranking{.method = app::name(options.method),
                   .baseline = run.baseline(),
                   .heads = run.sorted(),
                   .seconds = secondsSince(started),
                   .race = run.race(),
                   .agreement = run.agreement(),
                   .forecast = run.forecast()};
}

Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                              const InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads,
                              engine::Processes* processes)
{
    if (!processes || !processes->shared())
        return rankHeads(context, open, benchmark, {.fixed = fixed, .heads = heads});
    const auto started = Clock::now();
    const std::vector<interventions::HeadRef> mine = shareOfHeads(heads, processes->rank(), processes->size());
    Ranking ranking{.method = app::name(app::RankMethod::Exact)};
    if (!mine.empty()) {
        auto own = rankHeads(context, open, benchmark, {.fixed = fixed, .heads = mine});
        if (!own.has_value())
            return own;
        ranking = std::move(*own);
    }
    auto all = removeTogether(*processes, context, open, benchmark, fixed, heads, ranking.heads);
    if (!all.has_value())
        return all.error();
    ranking.heads = std::move(*all);
    engine::sortByLoss(ranking.heads, ranking.baseline.higherIsBetter);
    ranking.seconds = secondsSince(started);
    return ranking;
}

Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                             const Ranking& ranking)
{
    std::vector<sessions::RankedHead> list;
    for (const engine::RankedHead& head : ranking.heads)
        if (head.fault.empty())
            list.push_back(
                {headName(open.spec(), head.head), head.value, head.delta, head.interval.low, head.interval.high});
    return rememberList(open, benchmark, fixed, ranking.method, list);
}

Result<void> rememberList(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                          const std::string& method, const std::vector<sessions::RankedHead>& list)
{
    if (!open.session)
        return {};
    if (const auto stored = open.remember(fixed); !stored.has_value())
        return stored;
    const sessions::RankingRecord record{
        .modelHash = open.subject.model.hash,
        .dtype = open.subject.dtype,
        .device = open.subject.device,
        .task = engine::rankedTask(benchmark.set().name,
                                   engine::isFromCommonPrefix(benchmark.set().leaves.front().version)),
        .method = method,
        .ablation = fixed.canonical(),
        .n = static_cast<int>(benchmark.set().examples.size()),
        .heads = list};
    const auto known = open.session->rankings();
    if (!known.has_value())
        return known.error();
    for (const sessions::RankingRecord& old : *known) {
        sessions::RankingRecord same = record;
        same.uid = old.uid;
        same.created = old.created;
        if (same == old)
            return {};
    }
    const auto stored = open.session->addRanking(record);
    return stored.has_value() ? Result<void>() : Result<void>(stored.error());
}

} // namespace headscope::cli
