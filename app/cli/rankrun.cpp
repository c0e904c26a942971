// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/rankrun.h"

#include "app/cli/prompt.h"

#include <chrono>

namespace headscope::cli {

using interventions::InterventionSet;

namespace {

Result<engine::Rows> rowsUnder(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& set, const Control& control)
{
    engine::Rows rows = benchmark.emptyRows();
    const auto done = app::evaluate(open.store(), open.subject, *open.scorer, benchmark, set, open.donors, rows, {}, control);
    return done.has_value() ? Result<engine::Rows>(std::move(rows)) : Result<engine::Rows>(done.error());
}

} // namespace

Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                              const std::vector<interventions::HeadRef>& heads)
{
    const auto started = std::chrono::steady_clock::now();
    const Control control = context.control(), quiet{control.stop, {}};
    Ranking ranking{.method = "exact"};
    auto removal = engine::RemovalRanking::start(benchmark, fixed, heads, [&](const InterventionSet& set) { return rowsUnder(open, benchmark, set, quiet); });
    if (!removal.has_value())
        return removal.error();
    while (!removal->done()) {
        if (const auto measured = removal->step(); !measured.has_value())
            return measured.error();
        control.progress("removing one head after the other", static_cast<std::int64_t>(removal->measured().size()), removal->total());
    }
    ranking.baseline = removal->baseline();
    ranking.heads = removal->sorted();
    ranking.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return ranking;
}

Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed, const Ranking& ranking)
{
    if (!open.session)
        return {};
    if (const auto stored = open.remember(fixed); !stored.has_value())
        return stored;
    sessions::RankingRecord record{.modelHash = open.subject.model.hash, .dtype = open.subject.dtype, .device = open.subject.device,
                                   .task = benchmark.set().name, .method = ranking.method, .ablation = fixed.canonical(),
                                   .n = static_cast<int>(benchmark.set().examples.size())};
    for (const engine::RankedHead& head : ranking.heads)
        record.heads.push_back({headName(open.spec(), head.head), head.value, head.delta, head.interval.low, head.interval.high});
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
