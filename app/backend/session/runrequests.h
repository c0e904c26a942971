// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The states in a session, stored as runs or scored, and the scores of each: requests for
// SessionDoor.

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
};

/// A model with an intervention, and its scores.
struct StateScores {
    std::string modelHash;
    std::string modelName;
    std::string ablation;
    std::vector<TaskScore> scores;
};

struct StoredRuns {
    std::vector<sessions::RunRecord> runs;    ///< saved runs, in their order
    std::vector<StateScores> states;          ///< every state ever scored, by any program
    std::map<std::string, std::string> asked; ///< when the user last made each state, by stateKey(): from the history
};

/// Returns a key of a state that differs between models.
[[nodiscard]] std::string stateKey(const std::string& modelHash, const std::string& ablation);

[[nodiscard]] SessionRequest<StoredRuns> storedRuns();
/// Adds the model's row if it is missing, and stores the run under its uid.
[[nodiscard]] SessionRequest<void> keepRun(const sessions::ModelRecord& model, const sessions::RunRecord& run);
/// Updates runs that the session already contains, after a change of their order or names.
[[nodiscard]] SessionRequest<void> keepRuns(const std::vector<sessions::RunRecord>& runs);

/// Compares two states on the examples that both were scored on.
[[nodiscard]] SessionRequest<std::vector<sessions::StateChange>> compareStates(const sessions::ScoredState& first,
                                                                               const sessions::ScoredState& second);

} // namespace headscope::app
