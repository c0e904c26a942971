// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads and writes the tables of a session for SessionStore. One thread at a time.

#include "sessions/file/connection.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

// Patterns and their inputs.
[[nodiscard]] Result<PatternInfo> putPattern(Connection& connection, const PatternRecord& pattern);
[[nodiscard]] Result<std::vector<PatternInfo>> patterns(Connection& connection);
[[nodiscard]] Result<PatternRecord> pattern(Connection& connection, std::int64_t id);

// Finished rankings.
[[nodiscard]] Result<std::string> addRanking(Connection& connection, const RankingRecord& ranking);
[[nodiscard]] Result<std::vector<RankingRecord>> rankings(Connection& connection);

// Scored states that can be restored, and the history.
[[nodiscard]] Result<std::string> putRun(Connection& connection, const RunRecord& run);
[[nodiscard]] Result<void> listRun(Connection& connection, const RunRecord& run);
[[nodiscard]] Result<std::vector<RunRecord>> runs(Connection& connection);
[[nodiscard]] Result<void> removeRun(Connection& connection, std::string_view uid);
[[nodiscard]] Result<void> addHistory(Connection& connection, const HistoryEntry& entry);
[[nodiscard]] Result<std::vector<HistoryEntry>> history(Connection& connection);

// The user's additions to results: figures, names of heads, tours, the state of the window; and unresolved merge
// conflicts.
[[nodiscard]] Result<void> putFigure(Connection& connection, const FigureRecipe& figure);
[[nodiscard]] Result<std::vector<FigureRecipe>> figures(Connection& connection);
[[nodiscard]] Result<void> removeFigure(Connection& connection, std::string_view name);
[[nodiscard]] Result<void> putLabel(Connection& connection, const LabelChange& change);
[[nodiscard]] Result<std::vector<HeadLabel>> labels(Connection& connection, std::string_view modelHash);
[[nodiscard]] Result<std::vector<ConflictRecord>> conflicts(Connection& connection);
[[nodiscard]] Result<void> setUiState(Connection& connection, std::string_view key, std::string_view value);
[[nodiscard]] Result<std::optional<std::string>> uiState(Connection& connection, std::string_view key);
[[nodiscard]] Result<void> setTour(Connection& connection, const TourProgress& progress);
[[nodiscard]] Result<std::vector<TourProgress>> tours(Connection& connection);

} // namespace headscope::sessions
