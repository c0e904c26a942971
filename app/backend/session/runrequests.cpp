// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/runrequests.h"

#include "app/backend/session/keeprequests.h"
#include "sessions/sessionstore.h"

#include <map>
#include <utility>

namespace headscope::app {

namespace {

void add(StateScores& state, const sessions::SeriesScore& row)
{
    if (row.n == 0)
        return;
    const TaskScore score{.task = row.series.task,
                          .n = row.n,
                          .accuracy = static_cast<double>(row.correct) / static_cast<double>(row.n),
                          .knownSource = !row.series.rowSource.empty()};
    for (TaskScore& known : state.scores)
        if (known.task == score.task) {
            if (std::pair(known.knownSource, known.n) < std::pair(score.knownSource, score.n))
                known = score;
            return;
        }
    state.scores.push_back(score);
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
    for (const sessions::SeriesScore& row : *scores) {
        const std::string key = stateKey(row.series.modelHash, row.series.ablation);
        const auto [place, fresh] = places.emplace(key, all.states.size());
        if (fresh)
            all.states.push_back(
                {.modelHash = row.series.modelHash, .modelName = row.modelName, .ablation = row.series.ablation});
        add(all.states[place->second], row);
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
