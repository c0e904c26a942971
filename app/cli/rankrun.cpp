// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/rankrun.h"

#include "app/cli/prompt.h"

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

Result<engine::RemovalRanking> removeEach(OpenModel& open, const engine::Benchmark& benchmark,
                                          const InterventionSet& fixed,
                                          const std::vector<interventions::HeadRef>& heads, const Control& control)
{
    const Control quiet{control.stop, {}};
    auto removal = engine::RemovalRanking::start(benchmark, fixed, heads, [&, quiet](const InterventionSet& set) {
        return rowsUnder(open, benchmark, set, quiet);
    });
    while (removal.has_value() && !removal->done()) {
        if (const auto measured = removal->step(); !measured.has_value())
            return measured.error();
        control.progress("removing one head after the other", static_cast<std::int64_t>(removal->measured().size()),
                         removal->total());
    }
    return removal;
}

/// This process's heads, then everybody's, then those of processes that were lost.
Result<std::vector<engine::RankedHead>> removeTogether(engine::Processes& processes, OpenModel& open,
                                                       const engine::Benchmark& benchmark, const InterventionSet& fixed,
                                                       const std::vector<interventions::HeadRef>& heads,
                                                       const std::vector<engine::RankedHead>& mine,
                                                       const Control& control)
{
    auto gathered = gatherHeads(processes, mine, control.stop);
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
        const auto rest = removeEach(open, benchmark, fixed, missing, control);
        if (!rest.has_value())
            return rest.error();
        gathered->insert(gathered->end(), rest->measured().begin(), rest->measured().end());
    }
    std::vector<engine::RankedHead> ordered;
    for (const interventions::HeadRef& head : heads)
        ordered.push_back(*find(*gathered, head));
    return ordered;
}

} // namespace

Result<engine::Rows> rowsUnder(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& set,
                               const Control& control)
{
    engine::Rows rows = benchmark.emptyRows();
    const auto done =
        app::evaluate(open.store(), open.subject, *open.scorer, benchmark, set, open.donors, rows, {}, control);
    return done.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(done.error());
}

Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                              const InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads,
                              engine::Processes* processes)
{
    const auto started = Clock::now();
    const Control control = context.control();
    const bool shared = processes && processes->shared();
    std::vector<interventions::HeadRef> mine;
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (!shared || static_cast<int>(i) % processes->size() == processes->rank())
            mine.push_back(heads[i]);
    const auto removal = removeEach(open, benchmark, fixed, mine, control);
    if (!removal.has_value())
        return removal.error();
    Ranking ranking{.method = "exact", .baseline = removal->baseline(), .heads = removal->sorted()};
    if (shared) {
        auto all = removeTogether(*processes, open, benchmark, fixed, heads, removal->measured(), control);
        if (!all.has_value())
            return all.error();
        ranking.heads = std::move(*all);
        engine::sortByLoss(ranking.heads, ranking.baseline.higherIsBetter);
    }
    ranking.seconds = secondsSince(started);
    return ranking;
}

Result<Ranking> rankByRace(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                           const InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads,
                           const engine::RaceOptions& options)
{
    const auto started = Clock::now();
    const Control control = context.control(), quiet{control.stop, {}};
    auto race = engine::Race::start(
        benchmark, fixed, heads,
        [&](tasks::TaskSet set) {
            return engine::Benchmark::make(std::move(set), *open.scorer, *open.tokenizer, open.subject.bos);
        },
        [&](const engine::Benchmark& part, const InterventionSet& set) { return rowsUnder(open, part, set, quiet); },
        options);
    if (!race.has_value())
        return race.error();
    while (!race->done()) {
        if (const auto stepped = race->step(); !stepped.has_value())
            return stepped.error();
        control.progress("racing, " + std::to_string(race->undecided()) + " heads open", race->runsDone(),
                         race->runsOfAll());
    }
    Ranking ranking{.method = "race", .baseline = race->baseline(), .heads = race->sorted()};
    ranking.race = RaceReport{race->exact(),
                              race->certain(),
                              race->exact() ? 0 : options.errorProbability,
                              static_cast<double>(race->runsDone()) / static_cast<double>(race->runsOfAll()),
                              options.top,
                              race->examplesTaken()};
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
    const sessions::RankingRecord record{.modelHash = open.subject.model.hash,
                                         .dtype = open.subject.dtype,
                                         .device = open.subject.device,
                                         .task = benchmark.set().name,
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
