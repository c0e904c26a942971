// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/results/comparestates.h"

#include "sessions/results/bestseries.h"
#include "sessions/rows/examplerows.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <map>
#include <utility>

namespace headscope::sessions {

namespace {

StateChange changeOf(const std::string& task, const analysis::PairedCounts& counts)
{
    return {analysis::pairedChange(counts), task, counts.total(), counts.before(),
            counts.before() + counts.difference()};
}

} // namespace

Result<std::vector<StateChange>> compareStates(SessionStore& session, const ScoredState& first,
                                               const ScoredState& second)
{
    const auto befores = session.seriesOf(first.modelHash, first.ablation);
    const auto afters = session.seriesOf(second.modelHash, second.ablation);
    if (!befores.has_value() || !afters.has_value())
        return befores.has_value() ? afters.error() : befores.error();
    std::map<std::string, std::pair<std::pair<bool, std::int64_t>, StateChange>> best;
    for (const SeriesKey& before : *befores)
        for (const SeriesKey& after : *afters) {
            if (!sameRows(before, after))
                continue;
            const auto pairs = pairedTotals(session, before, after);
            if (!pairs.has_value())
                return pairs.error();
            const std::pair rank(!before.rowSource.empty(), pairs->acc.total()); // a known source before an unknown one
            if (auto& [known, change] = best[before.task]; rank.second > 0 && rank > known) {
                known = rank;
                change = changeOf(before.task, pairs->acc);
            }
        }
    std::vector<StateChange> changes;
    for (const auto& [task, ranked] : best)
        if (ranked.second.n > 0)
            changes.push_back(ranked.second);
    return changes;
}

} // namespace headscope::sessions
