// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Any two states that were ever scored, against each other. On the thread of the session.

#include "core/analysis/statistics.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// A model with something done to it.
struct ScoredState {
    std::string modelHash;
    std::string ablation; ///< canonical text; empty: nothing
};

/// One task, on the examples that both states were scored on.
struct StateChange : analysis::PairedChange { // second minus first
    std::string task;
    std::int64_t n = 0;
    double first = 0.0; ///< accuracy
    double second = 0.0;
};

/// One entry a task with examples in common; of several series of a state on a task those that share most are compared.
[[nodiscard]] Result<std::vector<StateChange>> compareStates(SessionStore& session, const ScoredState& first,
                                                             const ScoredState& second);

} // namespace headscope::sessions
