// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Saves the content of the survey page. `source`, in each file: the provenance of the numbers. Fail with one sentence.

#include "core/base/result.h"
#include "widgets/survey/surveypage.h"

#include <QString>

namespace headscope::gui {

/// Writes the rows that the table shows: csv or tex.
[[nodiscard]] Result<void> writeSurveyTable(const widgets::SurveyPage& page, const QString& source,
                                            const QString& path);
/// Writes a picture or csv.
[[nodiscard]] Result<void> writeSurveyDots(const widgets::SurveyPage& page, const QString& source, const QString& path);
/// Writes the matching heads: a picture or csv.
[[nodiscard]] Result<void> writeSurveyMatches(const widgets::SurveyPage& page, const QString& source,
                                              const QString& path);

} // namespace headscope::gui
