// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares any two scored states. On the thread of the session, except differencesOf(), which is a pure function.

#include "core/analysis/statistics.h"
#include "core/base/result.h"
#include "sessions/records.h"

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

/// A condition under which two series were measured differently.
struct ConditionDifference {
    std::string condition; ///< a column of the table series: "dtype"
    std::string first;
    std::string second;

    bool operator==(const ConditionDifference&) const = default;
};

/// Returns the conditions apart from the ablation and its own inputs in which series of the same rows differ.
[[nodiscard]] std::vector<ConditionDifference> differencesOf(const SeriesKey& a, const SeriesKey& b);

/// The change on one task, and the two series in which it was measured.
struct ComparedSeries {
    StateChange change;
    SeriesKey first;
    SeriesKey second;
};

/// Returns what compareStates() does, with the series that it chose.
[[nodiscard]] Result<std::vector<ComparedSeries>> compareSeries(SessionStore& session, const ScoredState& first,
                                                                const ScoredState& second);

} // namespace headscope::sessions
