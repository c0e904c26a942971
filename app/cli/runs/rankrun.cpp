// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/rankrun.h"

#include "app/cli/runs/prompt.h"
#include "app/notebook/analysisquestion.h"
#include "core/base/elapsed.h"
#include "core/engine/scoring/boundaryrule.h"
#include "core/engine/scoring/rankedtask.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

using Clock = std::chrono::steady_clock;

Result<void> drive(app::HeadRanking& ranking, OpenModel& open, const Control& control)
{
    for (bool more = true; more;) {
        const auto stepped = ranking.step(open.store(), control);
        if (!stepped.has_value())
            return stepped.error();
        more = *stepped;
    }
    return {};
}

/// The states that a ranking measures: heads [begin, end) removed, each alone, and before the first the baseline.
std::vector<InterventionSet> statesOf(const InterventionSet& fixed, const std::vector<HeadRef>& heads,
                                      std::size_t begin, std::size_t end)
{
    std::vector<InterventionSet> sets;
    if (begin == 0)
        sets.push_back(fixed);
    for (std::size_t i = begin; i < end; ++i)
        sets.push_back(engine::without(fixed, std::span(&heads[i], 1)));
    return sets;
}

// So many heads at a time that the rows of all of them fit into memory, which are some dozen bytes each.
std::size_t headsAtOnce(const engine::Benchmark& benchmark)
{
    constexpr std::size_t kRowsAtOnce = 1U << 18;
    return std::max(kRowsAtOnce / std::max(benchmark.set().examples.size(), std::size_t{1}), std::size_t{1});
}

/// Puts together what several processes measured, head by head.
class SharedRemovals
{
public:
    SharedRemovals(const engine::Benchmark& benchmark, const std::vector<HeadRef>& heads, Ranking& ranking)
        : m_benchmark(benchmark), m_heads(heads), m_ranking(ranking)
    {
    }
    /// In the order of statesOf().
    [[nodiscard]] Result<void> take(engine::Rows rows)
    {
        if (!m_baseline) {
            auto score = engine::firstScore(m_benchmark, rows);
            if (!score.has_value())
                return score.error();
            m_ranking.baseline = std::move(*score);
            m_baseline = std::move(rows);
            return {};
        }
        auto measured = engine::measuredRemoval(m_benchmark, *m_baseline, rows, m_heads[m_ranking.heads.size()]);
        if (!measured.has_value())
            return measured.error();
        m_ranking.heads.push_back(std::move(*measured));
        return {};
    }

private:
    const engine::Benchmark& m_benchmark;
    const std::vector<HeadRef>& m_heads;
    Ranking& m_ranking;
    std::optional<engine::Rows> m_baseline;
};

} // namespace

std::vector<InterventionSet> removalStates(const InterventionSet& fixed, const std::vector<HeadRef>& heads)
{
    return statesOf(fixed, heads, 0, heads.size());
}

Result<Ranking> rankHeads(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                          const app::RankOptions& options)
{
    const auto started = Clock::now();
    app::HeadRanking run(open, context.settings, benchmark, options);
    if (const auto driven = drive(run, open, context.control()); !driven.has_value())
        return driven.error();
    return Ranking{.method = app::name(options.method),
                   .baseline = run.baseline(),
                   .heads = run.sorted(),
                   .seconds = secondsSince(started),
                   .race = run.race(),
                   .uniform = run.uniform(),
                   .agreement = run.agreement(),
                   .forecast = run.forecast()};
}

std::vector<engine::Portion> rankedPortions(const engine::Benchmark& benchmark, const InterventionSet& fixed,
                                            const std::vector<HeadRef>& heads, int processes)
{
    return sharedPortions(benchmark, statesOf(fixed, heads, 0, std::min(headsAtOnce(benchmark), heads.size())),
                          processes);
}

Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                              const InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads,
                              engine::Processes* processes)
{
    if (!processes || !processes->shared())
        return rankHeads(context, open, benchmark, {.fixed = fixed, .heads = heads});
    const auto started = Clock::now();
    Ranking ranking{.method = app::name(app::RankMethod::Exact)};
    SharedRemovals removals(benchmark, heads, ranking);
    const std::size_t step = headsAtOnce(benchmark);
    for (std::size_t begin = 0; begin < heads.size(); begin += step) {
        const auto chunksOf = evaluateShared(
            *processes, open, benchmark, statesOf(fixed, heads, begin, std::min(begin + step, heads.size())),
            [&](std::size_t, engine::Rows rows) { return removals.take(std::move(rows)); }, context.control());
        if (!chunksOf.has_value())
            return chunksOf.error();
        ranking.chunksOf.resize(chunksOf->size());
        std::ranges::transform(*chunksOf, ranking.chunksOf, ranking.chunksOf.begin(), std::plus<int>());
    }
    if (!processes->first())
        return ranking;
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
    return rememberList(open, benchmark, fixed, ranking.method, ranking.how, list);
}

Result<void> rememberList(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                          const std::string& method, const std::string& how,
                          const std::vector<sessions::RankedHead>& list)
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
        .questionJson = app::rankingQuestion({open.subject, open.spec(), *open.tokenizer, fixed}, benchmark, how),
        .heads = list};
    const auto stored = open.session->addRanking(record);
    return stored.has_value() ? Result<void>() : Result<void>(stored.error());
}

} // namespace headscope::cli
