// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey as the page shows it. Pure functions; any thread.

#include "app/backend/values/survey.h"
#include "core/analysis/statistics.h"
#include "core/base/result.h"
#include "widgets/survey/surveymodel.h"

#include <QString>

#include <optional>
#include <set>

namespace headscope::gui {

[[nodiscard]] QStringList surveyMetrics();
/// Means, a row a head.
[[nodiscard]] std::vector<widgets::SurveyRow> surveyRows(const app::SurveyReply& reply);
/// How much was read, and whether words are missing.
[[nodiscard]] QString surveySentence(const app::SurveyReply& reply);
/// Which rows fulfil a condition such as "induction > 0.5"; nothing for an empty one: all.
[[nodiscard]] Result<std::optional<std::set<int>>> rowsWhere(const QString& condition,
                                                             const std::vector<widgets::SurveyRow>& rows);
/// The rank correlation of two metrics over heads, with its interval.
[[nodiscard]] QString correlationSentence(const std::vector<widgets::SurveyRow>& rows, int x, int y);
/// The table as CSV, a line a head, with what it was measured on below.
[[nodiscard]] std::string surveyCsv(const app::SurveyReply& reply);

} // namespace headscope::gui
