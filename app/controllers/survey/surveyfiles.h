// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the survey's page shows, as files. `source` is in each: where the numbers are from. Fail with one sentence.

#include "core/base/result.h"
#include "widgets/survey/surveypage.h"

#include <QString>

namespace headscope::gui {

/// csv or tex.
[[nodiscard]] Result<void> writeSurveyTable(const widgets::SurveyPage& page, const QString& source,
                                            const QString& path);
/// A picture or csv.
[[nodiscard]] Result<void> writeSurveyDots(const widgets::SurveyPage& page, const QString& source, const QString& path);
/// Which heads do the same: a picture or csv.
[[nodiscard]] Result<void> writeSurveyMatches(const widgets::SurveyPage& page, const QString& source,
                                              const QString& path);

} // namespace headscope::gui
