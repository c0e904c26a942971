// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The states that a session knows of: those that somebody kept or scored by hand, and what was scored of each: requests
// for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "sessions/records.h"
#include "sessions/results/comparestates.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope::app {

/// The best series of a state on one task.
struct TaskScore {
    std::string task;
    std::int64_t n = 0;
    double accuracy = 0;
    bool knownSource = false; ///< of its rows; a score of unknown ones is shown where there is no other
};

/// A model with something done to it, and what it scored.
struct StateScores {
    std::string modelHash;
    std::string modelName;
    std::string ablation;
    std::vector<TaskScore> scores;
};

struct StoredRuns {
    std::vector<sessions::RunRecord> runs;    ///< what somebody kept, in their order
    std::vector<StateScores> states;          ///< every state that was ever scored, by any program
    std::map<std::string, std::string> asked; ///< when a person last made a state, by its stateKey: from the history
};

/// Reports states of different models apart.
[[nodiscard]] std::string stateKey(const std::string& modelHash, const std::string& ablation);

[[nodiscard]] SessionRequest<StoredRuns> storedRuns();
/// Keeps the model's row where it is not there yet, and the run under its uid.
[[nodiscard]] SessionRequest<void> keepRun(const sessions::ModelRecord& model, const sessions::RunRecord& run);
/// The same for runs that the session has already: their order or names have changed.
[[nodiscard]] SessionRequest<void> keepRuns(const std::vector<sessions::RunRecord>& runs);

/// Two states on the examples that both were scored on.
[[nodiscard]] SessionRequest<std::vector<sessions::StateChange>> compareStates(const sessions::ScoredState& first,
                                                                               const sessions::ScoredState& second);

} // namespace headscope::app
