// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Selects which of several series of one task and state is shown or compared if only one can be. Rows of different
// sources are never added up or compared, so one must be chosen. Pure functions, on any thread, except
// compareSeries(), which reads on the thread of the session.

#include "core/base/result.h"
#include "sessions/records.h"
#include "sessions/results/comparestates.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

/// Returns whether both have the same rows under the same rules.
[[nodiscard]] inline bool sameRows(const SeriesKey& a, const SeriesKey& b)
{
    return a.task == b.task && a.rowSource == b.rowSource && a.taskVersion == b.taskVersion;
}

/// A condition under which two series were measured differently.
struct ConditionDifference {
    std::string condition; ///< a column of the table series: "dtype"
    std::string first;
    std::string second;

    bool operator==(const ConditionDifference&) const = default;
};

/// Returns the conditions apart from the ablation and its own inputs in which series of the same rows differ.
[[nodiscard]] inline std::vector<ConditionDifference> differencesOf(const SeriesKey& a, const SeriesKey& b)
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

/// The change on one task, and the two series in which it was measured.
struct ComparedSeries {
    StateChange change;
    SeriesKey first;
    SeriesKey second;
};

/// Returns what compareStates() does, with the series that it chose.
[[nodiscard]] Result<std::vector<ComparedSeries>> compareSeries(SessionStore& session, const ScoredState& first,
                                                                const ScoredState& second);

/// Returns whether `a` is preferred to `b`: a known source to an unknown one, then more examples to fewer.
[[nodiscard]] bool isMoreInformative(const SeriesScore& a, const SeriesScore& b);

/// Returns the preferred series of a model's state and task; null if there is none.
[[nodiscard]] const SeriesScore* bestSeries(std::span<const SeriesScore> scores, std::string_view modelHash,
                                            std::string_view task, std::string_view ablation);

/// Returns the series that `now` is compared with: the same conditions without the ablation; null if there is none.
[[nodiscard]] const SeriesScore* baselineFor(std::span<const SeriesScore> scores, const SeriesScore& now);

} // namespace headscope::sessions
