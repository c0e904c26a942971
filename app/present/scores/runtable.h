// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scored states as rows of the list of runs. Pure functions; any thread.

#include "app/state/windowstate.h"
#include "sessions/records.h"
#include "widgets/scores/runsmodel.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace headscope::gui {

/// A state that can be restored. One without a time was scored as part of another measurement.
struct ListedRun {
    qint64 id = 0;
    sessions::RunRecord record;
    QList<widgets::RunScore> scores;
    QString modelName; ///< as stored in the session
};

/// Returns the side with this run's model, the active one first.
[[nodiscard]] std::optional<Side> sideOf(const WindowState& state, const sessions::RunRecord& run);
/// Returns requested runs followed by those scored by rankings and sweeps, each in the order of their positions.
[[nodiscard]] std::vector<widgets::RunRow> runRows(const std::vector<ListedRun>& runs, const WindowState& state);
/// Returns "KV8 .02".
[[nodiscard]] widgets::RunScore runScore(const std::string& task, double accuracy);

} // namespace headscope::gui
