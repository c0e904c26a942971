// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/rankrun.h"

#include "app/cli/runs/prompt.h"
#include "core/engine/processes/chunkqueue.h"
#include "core/engine/processes/parts.h"
#include "core/engine/scoring/boundaryrule.h"
#include "core/engine/scoring/rankedtask.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point started)
{
    return std::chrono::duration<double>(Clock::now() - started).count();
}

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

/// Chunks of heads that several processes take one after another.
class HeadChunks
{
public:
    HeadChunks(const std::vector<HeadRef>& heads, int processes)
        : m_heads(heads),
          m_each(static_cast<std::size_t>(engine::piecesOfChunk(static_cast<int>(heads.size()), processes))),
          m_count(engine::chunksOf(static_cast<int>(heads.size()), processes))
    {
    }
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] std::vector<HeadRef> of(int chunk) const
    {
        const std::size_t begin = static_cast<std::size_t>(chunk) * m_each;
        return {m_heads.begin() + static_cast<std::ptrdiff_t>(begin),
                m_heads.begin() + static_cast<std::ptrdiff_t>(std::min(begin + m_each, m_heads.size()))};
    }

private:
    const std::vector<HeadRef>& m_heads;
    std::size_t m_each;
    int m_count;
};

/// The chunks that this process takes: one baseline for all of them.
class ChunkRun
{
public:
    ChunkRun(const Context& context, OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed)
        : m_context(context), m_open(open), m_benchmark(benchmark), m_fixed(fixed)
    {
    }
    [[nodiscard]] Result<std::string> run(const std::vector<HeadRef>& heads)
    {
        if (m_ranking)
            m_ranking->add(heads);
        else
            m_ranking.emplace(m_open, m_context.settings, m_benchmark,
                              app::RankOptions{.fixed = m_fixed, .heads = heads});
        if (const auto driven = drive(*m_ranking, m_open, m_context.control()); !driven.has_value())
            return driven.error();
        const std::vector<engine::RankedHead> all = m_ranking->measured();
        return engine::packHeads({all.end() - static_cast<std::ptrdiff_t>(heads.size()), all.end()});
    }
    [[nodiscard]] bool ran() const { return m_ranking.has_value(); }
    [[nodiscard]] tasks::Score baseline() const { return m_ranking->baseline(); }

private:
    const Context& m_context;
    OpenModel& m_open;
    const engine::Benchmark& m_benchmark;
    const InterventionSet& m_fixed;
    std::optional<app::HeadRanking> m_ranking;
};

/// The heads of all chunks; fails where one holds others than it should.
Result<std::vector<engine::RankedHead>> headsOf(const HeadChunks& chunks, const std::vector<std::string>& results)
{
    std::vector<engine::RankedHead> all;
    for (int chunk = 0; chunk < chunks.count(); ++chunk) {
        const auto heads = engine::unpackHeads(results[static_cast<std::size_t>(chunk)]);
        if (!heads.has_value())
            return heads.error();
        const std::vector<HeadRef> wanted = chunks.of(chunk);
        if (!std::equal(heads->begin(), heads->end(), wanted.begin(), wanted.end(),
                        [](const engine::RankedHead& one, const HeadRef& head) { return one.head == head; }))
            return inputError("A process handed over heads that it was not to measure; are all of them given the same "
                              "arguments?");
        all.insert(all.end(), heads->begin(), heads->end());
    }
    return all;
}

} // namespace

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
    const HeadChunks chunks(heads, processes->size());
    ChunkRun own(context, open, benchmark, fixed);
    const auto shared = processes->share(
        chunks.count(), [&](int chunk) { return own.run(chunks.of(chunk)); }, context.control().stop);
    if (!shared.has_value())
        return shared.error();
    Ranking ranking{.method = app::name(app::RankMethod::Exact)};
    if (!processes->first())
        return ranking;
    auto all = headsOf(chunks, shared->results);
    if (!all.has_value())
        return all.error();
    if (!own.ran() && !heads.empty()) // the others were faster with all of it; the baseline is told here
        if (const auto one = own.run({heads.front()}); !one.has_value())
            return one.error();
    ranking.baseline = own.baseline();
    ranking.heads = std::move(*all);
    ranking.chunksOf = shared->chunksOf;
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
