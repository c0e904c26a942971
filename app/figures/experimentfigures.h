// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of experiments as figures: a recipe for each report in a session. On the thread of the session.

#include "app/figures/paperfigures.h"
#include "core/experiments/experimentreport.h"
#include "widgets/figures/figure.h"

namespace headscope::figures {

/// Returns a figure of the numbers, without question and verdict, from the report only. The caption explains its marks.
[[nodiscard]] widgets::Figure experimentFigure(const experiments::Report& report);
/// Returns whether the figure contains maps of heads from a session.
[[nodiscard]] bool hasMaps(const experiments::Report& report);
/// The same with those maps; without them if the session has none, as noted in the caption; empty without rows.
[[nodiscard]] widgets::Figure experimentFigure(const experiments::Report& report, sessions::SessionStore& session);
/// Returns the figure of a page, with its question above and its verdict below. Fails for a report without rows.
[[nodiscard]] Result<Recipe> experimentRecipe(const experiments::Report& report);

/// Returns figures named "experiment-kv-curve"; for further choices of models, "-2" and so on is appended.
[[nodiscard]] std::vector<PaperFigure> experimentFigures(const std::vector<experiments::Report>& reports);

} // namespace headscope::figures
