// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which of several series of one task and state is shown where there is room for one. Rows of different sources are
// never added up or compared, so a choice must be made. Pure functions; any thread.

#include "sessions/records.h"

#include <span>
#include <string_view>

namespace headscope::sessions {

/// Are the same rows asked under the same rules?
[[nodiscard]] inline bool sameRows(const SeriesKey& a, const SeriesKey& b)
{
    return a.task == b.task && a.rowSource == b.rowSource && a.taskVersion == b.taskVersion;
}

/// Says `a` more than `b`: a known source goes before an unknown one, then more examples before fewer.
[[nodiscard]] bool saysMore(const SeriesScore& a, const SeriesScore& b);

/// The series that says most of a model's state and task; null where there is none.
[[nodiscard]] const SeriesScore* bestSeries(std::span<const SeriesScore> scores, std::string_view modelHash,
                                            std::string_view task, std::string_view ablation);

/// The series that `now` is compared with: the same conditions without the ablation; null where there is none.
[[nodiscard]] const SeriesScore* baselineFor(std::span<const SeriesScore> scores, const SeriesScore& now);

} // namespace headscope::sessions
