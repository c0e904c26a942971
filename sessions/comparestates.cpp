// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/comparestates.h"

#include "sessions/rows/examplerows.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <map>

namespace headscope::sessions {

namespace {

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

Result<std::vector<StateChange>> compareStates(SessionStore& session, const ScoredState& first,
                                               const ScoredState& second)
{
    const auto befores = session.seriesOf(first.modelHash, first.ablation);
    const auto afters = session.seriesOf(second.modelHash, second.ablation);
    if (!befores.has_value() || !afters.has_value())
        return befores.has_value() ? afters.error() : befores.error();
    std::map<std::string, StateChange> best;
    for (const SeriesKey& before : *befores)
        for (const SeriesKey& after : *afters) {
            if (after.task != before.task)
                continue;
            const auto pairs = pairedTotals(session, before, after);
            if (!pairs.has_value())
                return pairs.error();
            if (StateChange& known = best[before.task]; pairs->acc.total() > known.n)
                known = changeOf(before.task, pairs->acc);
        }
    std::vector<StateChange> changes;
    for (const auto& [task, change] : best)
        if (change.n > 0)
            changes.push_back(change);
    return changes;
}

} // namespace headscope::sessions
