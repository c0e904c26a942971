// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window shows as a session keeps it, so that figures can be made of it again without the model. Pure
// functions; any thread.

#include "app/backend/values/recordvalues.h"
#include "app/state/windowstate.h"

#include <vector>

namespace headscope::gui {

[[nodiscard]] sessions::ModelRecord modelRecord(const app::ModelSummary& model);
/// The pattern on the screen; there must be one.
[[nodiscard]] sessions::PatternRecord patternRecord(const WindowState& state, Side side);
/// Rankings that are finished: one that still runs would say of the missing heads that they cost nothing.
[[nodiscard]] std::vector<sessions::RankingRecord> rankingRecords(const WindowState& state, Side side);
/// All of that of each model that is here; what comes from a session is there.
[[nodiscard]] std::vector<app::ShownRecords> shownRecords(const WindowState& state);

} // namespace headscope::gui
