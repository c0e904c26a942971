// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/runrequests.h"

#include "app/backend/session/keeprequests.h"
#include "sessions/results/bestseries.h"
#include "sessions/sessionstore.h"

#include <array>
#include <map>
#include <string_view>

namespace headscope::app {

namespace {

using Best = std::map<std::array<std::string_view, 3>, const sessions::SeriesScore*>;

std::array<std::string_view, 3> placeOf(const sessions::SeriesScore& row)
{
    return {row.series.modelHash, row.series.ablation, row.series.task};
}

/// The series that are shown, by model, state and task.
Best bestOf(const std::vector<sessions::SeriesScore>& scores)
{
    Best best;
    for (const sessions::SeriesScore& row : scores) {
        if (row.n == 0)
            continue;
        const auto [known, fresh] = best.try_emplace(placeOf(row), &row);
        if (!fresh && sessions::isMoreInformative(row, *known->second))
            known->second = &row;
    }
    return best;
}

Result<StoredRuns> runsIn(sessions::SessionStore& session)
{
    const auto runs = session.runs();
    const auto scores = session.scores();
    const auto history = session.history();
    for (const Error* error :
         {runs.has_value() ? nullptr : &runs.error(), scores.has_value() ? nullptr : &scores.error(),
          history.has_value() ? nullptr : &history.error()})
        if (error)
            return *error;
    StoredRuns all{.runs = *runs};
    std::map<std::string, std::size_t> places;
    const Best best = bestOf(*scores);
    for (const sessions::SeriesScore& row : *scores) {
        const std::string key = stateKey(row.series.modelHash, row.series.ablation);
        const auto [place, fresh] = places.emplace(key, all.states.size());
        if (fresh)
            all.states.push_back(
                {.modelHash = row.series.modelHash, .modelName = row.modelName, .ablation = row.series.ablation});
        if (row.n > 0 && best.at(placeOf(row)) == &row)
            all.states[place->second].scores.push_back(
                {row.series.task, row.n, static_cast<double>(row.correct) / static_cast<double>(row.n)});
    }
    for (const sessions::HistoryEntry& entry : *history)
        all.asked[stateKey(entry.modelHash, entry.ablation)] = entry.created;
    return all;
}

} // namespace

std::string stateKey(const std::string& modelHash, const std::string& ablation)
{
    return modelHash + '\n' + ablation;
}

SessionRequest<StoredRuns> storedRuns()
{
    return runsIn;
}

SessionRequest<void> keepRun(const sessions::ModelRecord& model, const sessions::RunRecord& run)
{
    return [model, run](sessions::SessionStore& session) -> Result<void> {
        if (auto there = ensureModel(session, model); !there.has_value())
            return there;
        const auto kept = session.putRun(run);
        return kept.has_value() ? Result<void>() : kept.error();
    };
}

SessionRequest<void> keepRuns(const std::vector<sessions::RunRecord>& runs)
{
    return [runs](sessions::SessionStore& session) -> Result<void> {
        for (const sessions::RunRecord& run : runs)
            if (const auto kept = session.putRun(run); !kept.has_value())
                return kept.error();
        return {};
    };
}

SessionRequest<std::vector<sessions::StateChange>> compareStates(const sessions::ScoredState& first,
                                                                 const sessions::ScoredState& second)
{
    return [=](sessions::SessionStore& session) { return sessions::compareStates(session, first, second); };
}

} // namespace headscope::app
