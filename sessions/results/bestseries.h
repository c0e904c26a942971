// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Selects which of several series of one task and state is shown if only one can be. Rows of different sources are
// never added up or compared, so one must be chosen. Pure functions; any thread.

#include "sessions/records.h"

#include <span>
#include <string_view>

namespace headscope::sessions {

/// Returns whether both have the same rows under the same rules.
[[nodiscard]] inline bool sameRows(const SeriesKey& a, const SeriesKey& b)
{
    return a.task == b.task && a.rowSource == b.rowSource && a.taskVersion == b.taskVersion;
}

/// Returns whether `a` is preferred to `b`: a known source to an unknown one, then more examples to fewer, then the
/// series that began later: a file that its state names may have changed since.
[[nodiscard]] bool isMoreInformative(const SeriesScore& a, const SeriesScore& b);

/// Returns the preferred series of a model's state and task; null if there is none.
[[nodiscard]] const SeriesScore* bestSeries(std::span<const SeriesScore> scores, std::string_view modelHash,
                                            std::string_view task, std::string_view ablation);

/// Returns the series that `now` is compared with: the same conditions without the ablation; null if there is none.
[[nodiscard]] const SeriesScore* baselineFor(std::span<const SeriesScore> scores, const SeriesScore& now);

} // namespace headscope::sessions
