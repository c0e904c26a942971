// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares any two scored states. On the thread of the session.

#include "core/analysis/statistics.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// A model with an intervention.
struct ScoredState {
    std::string modelHash;
    std::string ablation; ///< canonical text; empty: none
};

/// The change on one task, on the examples that both states were scored on.
struct StateChange : analysis::PairedChange { // second minus first
    std::string task;
    std::int64_t n = 0;
    double first = 0.0; ///< accuracy
    double second = 0.0;
};

/// Returns one entry per task with examples in common; of several series, those that share the most are compared.
[[nodiscard]] Result<std::vector<StateChange>> compareStates(SessionStore& session, const ScoredState& first,
                                                             const ScoredState& second);

} // namespace headscope::sessions
