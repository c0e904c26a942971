// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All numbers that are known of the heads of a survey, as named columns: what tables, filters, dots and files of both
// programs are made of. Pure functions; any thread.

#include "app/workbench/heads/headfacts.h"
#include "sessions/surveyrecords.h"

#include <string>
#include <vector>

namespace headscope::app {

struct HeadColumn {
    std::string name;           ///< as a filter spells it: "induction", "cost_toy_kv_pairs_8"
    std::vector<double> values; ///< one a head of the survey; NaN: not known
};

/// The survey's means. With facts: `copying`, what removal costs on each task as `cost_TASK` and `odds_TASK` (`cost`:
/// on the first), and the rise of the next tokens' loss as `loss` and, by group, `loss_continued` ...; only columns of
/// which something is known.
[[nodiscard]] std::vector<HeadColumn> headColumns(const sessions::StoredSurvey& survey, const FactSheet* facts);
/// One number a head that comes from elsewhere. A head that is not named has none.
[[nodiscard]] HeadColumn headColumn(const sessions::StoredSurvey& survey, const std::string& name,
                                    const std::vector<std::pair<std::string, double>>& values);
/// Letters, digits and underscores: what a filter can read.
[[nodiscard]] std::string columnName(const std::string& text);

/// A row a head, with every digit; the last line, which begins with '#', says what it was measured on.
[[nodiscard]] std::string headCsv(const std::vector<std::string>& heads, const std::vector<HeadColumn>& columns,
                                  const std::string& provenance);
/// The same as a LaTeX tabular with three digits (booktabs).
[[nodiscard]] std::string headLatex(const std::vector<std::string>& heads, const std::vector<HeadColumn>& columns,
                                    const std::string& provenance);

} // namespace headscope::app
