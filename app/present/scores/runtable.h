// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The states that were scored, as the list of runs shows them. Pure functions; any thread.

#include "app/state/windowstate.h"
#include "sessions/records.h"
#include "widgets/scores/runsmodel.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace headscope::gui {

/// A state that can be gone back to. One without a time was scored on the way of something else.
struct ListedRun {
    qint64 id = 0;
    sessions::RunRecord record;
    QList<widgets::RunScore> scores;
    QString modelName; ///< as the session has it
};

/// The side whose model it is, the active one first.
[[nodiscard]] std::optional<Side> sideOf(const WindowState& state, const sessions::RunRecord& run);
/// What somebody asked for above what rankings and sweeps scored on their way, each in the order of its places.
[[nodiscard]] std::vector<widgets::RunRow> runRows(const std::vector<ListedRun>& runs, const WindowState& state);
/// "KV8 .02"
[[nodiscard]] widgets::RunScore runScore(const std::string& task, double accuracy);

} // namespace headscope::gui
