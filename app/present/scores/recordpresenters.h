// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts shown results to session records, from which figures can be made again without the model. Pure functions;
// any thread.

#include "app/backend/values/recordvalues.h"
#include "app/state/windowstate.h"

#include <vector>

namespace headscope::gui {

[[nodiscard]] sessions::ModelRecord modelRecord(const app::ModelSummary& model);
/// Returns the record of the pattern on the screen, which must exist.
[[nodiscard]] sessions::PatternRecord patternRecord(const WindowState& state, Side side);
/// Returns finished rankings only: an unfinished one would suggest that the missing heads have no cost.
[[nodiscard]] std::vector<sessions::RankingRecord> rankingRecords(const WindowState& state, Side side);
/// Returns all of these records for each model that is open; results from a session are already stored.
[[nodiscard]] std::vector<app::ShownRecords> shownRecords(const WindowState& state);

} // namespace headscope::gui
