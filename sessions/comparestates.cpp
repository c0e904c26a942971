// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/comparestates.h"

#include "sessions/examplerows.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <map>

namespace headscope::sessions {

namespace {

bool isOf(const ScoreRow& row, const ScoredState& state)
{
    return row.series.modelHash == state.modelHash && row.series.ablation == state.ablation && row.n > 0;
}

StateChange changeOf(const std::string& task, const analysis::PairedCounts& counts)
{
    const auto n = static_cast<double>(counts.total());
    StateChange change{.task = task, .n = counts.total()};
    change.first = static_cast<double>(counts.bothRight + counts.lost) / n;
    change.second = static_cast<double>(counts.bothRight + counts.gained) / n;
    change.delta = counts.difference();
    change.interval = analysis::newcombePairedInterval(counts);
    change.p = analysis::mcnemarExact(counts);
    return change;
}

} // namespace

Result<std::vector<StateChange>> compareStates(SessionStore& session, const ScoredState& first, const ScoredState& second)
{
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    std::map<std::string, StateChange> best;
    for (const ScoreRow& before : *rows) {
        if (!isOf(before, first))
            continue;
        for (const ScoreRow& after : *rows) {
            if (!isOf(after, second) || after.series.task != before.series.task)
                continue;
            const auto pairs = pairedTotals(session, before.series, after.series);
            if (!pairs.has_value())
                return pairs.error();
            if (StateChange& known = best[before.series.task]; pairs->acc.total() > known.n)
                known = changeOf(before.series.task, pairs->acc);
        }
    }
    std::vector<StateChange> changes;
    for (const auto& [task, change] : best)
        if (change.n > 0)
            changes.push_back(change);
    return changes;
}

} // namespace headscope::sessions
