// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/rankrun.h"

#include "app/cli/prompt.h"
#include "core/engine/compare.h"

#include <algorithm>
#include <chrono>

namespace headscope::cli {

using interventions::InterventionSet;

namespace {

InterventionSet with(const InterventionSet& fixed, const interventions::HeadRef& head)
{
    auto items = fixed.items();
    items.push_back(interventions::EditHead{.head = head});
    return InterventionSet(std::move(items));
}

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
    const auto before = rowsUnder(open, benchmark, fixed, quiet);
    if (!before.has_value())
        return before.error();
    const auto scores = tasks::aggregate(benchmark.set(), before->results, {.bootstrapResamples = 0});
    if (!scores.has_value())
        return scores.error();
    if (scores->empty())
        return inputError("No row of '" + benchmark.set().name + "' could be scored, so heads can not be ranked by it.");
    ranking.baseline = scores->front();
    for (const interventions::HeadRef& head : heads) {
        const auto after = rowsUnder(open, benchmark, with(fixed, head), quiet);
        if (!after.has_value())
            return after.error();
        const auto compared = engine::compare(benchmark.set(), before->results, after->results, {.resamples = 0});
        if (!compared.has_value())
            return compared.error();
        if (compared->empty())
            return inputError("No row of '" + benchmark.set().name + "' could be scored without " + headName(open.spec(), head) + ".");
        const engine::Comparison& first = compared->front();
        ranking.heads.push_back({head, first.now.value, first.delta, first.interval, first.p});
        control.progress("removing one head after the other", static_cast<std::int64_t>(ranking.heads.size()), static_cast<std::int64_t>(heads.size()));
    }
    const bool higher = ranking.baseline.higherIsBetter;
    std::stable_sort(ranking.heads.begin(), ranking.heads.end(), [higher](const auto& a, const auto& b) { return higher ? a.delta < b.delta : a.delta > b.delta; });
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
