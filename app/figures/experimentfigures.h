// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of experiments as figures: a recipe for each report that a session keeps. On the thread of the session.

#include "app/figures/paperfigures.h"
#include "core/experiments/experimentreport.h"
#include "widgets/figures/figure.h"

namespace headscope::figures {

/// Its numbers as a picture, without question and verdict, from the report alone. The caption says what marks mean.
[[nodiscard]] widgets::Figure experimentFigure(const experiments::Report& report);
/// Whether maps of heads that a session keeps belong to its picture.
[[nodiscard]] bool hasMaps(const experiments::Report& report);
/// The same with those maps. Without them where the session has none, which the caption says; empty without rows.
[[nodiscard]] widgets::Figure experimentFigure(const experiments::Report& report, sessions::SessionStore& session);
/// The picture of a page, its question above, its verdict below. Fails for a report without rows.
[[nodiscard]] Result<Recipe> experimentRecipe(const experiments::Report& report);

/// "experiment-kv-curve"; of an experiment that was run on several choices of models the others with "-2" and so on.
[[nodiscard]] std::vector<PaperFigure> experimentFigures(const std::vector<experiments::Report>& reports);

} // namespace headscope::figures
