// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/results/comparestates.h"

#include "sessions/results/bestseries.h"
#include "sessions/rows/examplerows.h"
#include "sessions/sessionstore.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace headscope::sessions {

namespace {

StateChange changeOf(const std::string& task, const analysis::PairedCounts& counts)
{
    return {analysis::pairedChange(counts), task, counts.total(), counts.before(),
            counts.before() + counts.difference()};
}

// A known source of rows goes before an unknown one; then a difference in type, device or tokenizer counts more than
// the number of examples, because the change would contain it. Of equal ones the later is compared.
std::tuple<bool, std::ptrdiff_t, std::int64_t> rankOf(const ComparedSeries& pair)
{
    return {!pair.first.rowSource.empty(), -std::ssize(differencesOf(pair.first, pair.second)), pair.change.n};
}

} // namespace

std::vector<ConditionDifference> differencesOf(const SeriesKey& a, const SeriesKey& b)
{
    std::vector<ConditionDifference> found;
    const auto compare = [&found](const char* condition, const std::string& first, const std::string& second) {
        if (first != second)
            found.push_back({condition, first, second});
    };
    compare("tokenizer", a.tokenizerHash, b.tokenizerHash);
    compare("dtype", a.dtype, b.dtype);
    compare("device", a.device, b.device);
    compare("scoring_version", std::to_string(a.scoringVersion), std::to_string(b.scoringVersion));
    compare("inputs", baselineOf(a).inputs, baselineOf(b).inputs);
    return found;
}

Result<std::vector<ComparedSeries>> compareSeries(SessionStore& session, const ScoredState& first,
                                                  const ScoredState& second)
{
    const auto befores = session.seriesOf(first.modelHash, first.ablation);
    const auto afters = session.seriesOf(second.modelHash, second.ablation);
    if (!befores.has_value() || !afters.has_value())
        return befores.has_value() ? afters.error() : befores.error();
    std::map<std::string, ComparedSeries> best;
    for (const SeriesKey& before : *befores)
        for (const SeriesKey& after : *afters) {
            if (!sameRows(before, after))
                continue;
            const auto pairs = pairedTotals(session, before, after);
            if (!pairs.has_value())
                return pairs.error();
            if (pairs->acc.total() == 0)
                continue;
            ComparedSeries pair{changeOf(before.task, pairs->acc), before, after};
            const auto [known, fresh] = best.try_emplace(before.task, pair);
            if (!fresh && rankOf(pair) >= rankOf(known->second))
                known->second = std::move(pair);
        }
    std::vector<ComparedSeries> chosen;
    for (auto& [task, pair] : best)
        chosen.push_back(std::move(pair));
    return chosen;
}

Result<std::vector<StateChange>> compareStates(SessionStore& session, const ScoredState& first,
                                               const ScoredState& second)
{
    auto compared = compareSeries(session, first, second);
    if (!compared.has_value())
        return compared.error();
    std::vector<StateChange> changes;
    for (ComparedSeries& pair : *compared)
        changes.push_back(std::move(pair.change));
    return changes;
}

} // namespace headscope::sessions
