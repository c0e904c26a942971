// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All metrics of the heads of a survey as named columns, for the tables, filters, plots and files of both programs.
// Pure functions; any thread.

#include "app/workbench/heads/headfacts.h"
#include "sessions/surveyrecords.h"

#include <string>
#include <vector>

namespace headscope::app {

struct HeadColumn {
    std::string name;           ///< as spelled in a filter: "induction", "cost_toy_kv_pairs_8"
    std::vector<double> values; ///< one per head of the survey; NaN: unknown
};

/// Returns the survey's means. With facts also `copying`, the removal cost on each task as `cost_TASK` and `odds_TASK`
/// (`cost`: on the first), and the increase of the next-token loss as `loss` and, by group, `loss_continued` ...; only
/// columns with known values.
[[nodiscard]] std::vector<HeadColumn> headColumns(const sessions::StoredSurvey& survey, const FactSheet* facts);
/// Returns a column of external values. A head that is not named has none.
[[nodiscard]] HeadColumn headColumn(const sessions::StoredSurvey& survey, const std::string& name,
                                    const std::vector<std::pair<std::string, double>>& values);
/// Returns letters, digits and underscores, which a filter can parse.
[[nodiscard]] std::string columnName(const std::string& text);

/// Returns CSV with a row per head and all digits; the last line, which begins with '#', describes the data.
[[nodiscard]] std::string headCsv(const std::vector<std::string>& heads, const std::vector<HeadColumn>& columns,
                                  const std::string& provenance);
/// Returns the same as a LaTeX tabular with three digits (booktabs).
[[nodiscard]] std::string headLatex(const std::vector<std::string>& heads, const std::vector<HeadColumn>& columns,
                                    const std::string& provenance);

/// A number with three digits, as LaTeX reads it.
[[nodiscard]] std::string latexNumber(double value);

} // namespace headscope::app
