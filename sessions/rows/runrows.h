// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scored states that can be restored, and the history. See SessionStore, which calls them. One thread at a
// time.

#include "sessions/file/connection.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

[[nodiscard]] Result<std::string> putRun(Connection& connection, const RunRecord& run);
[[nodiscard]] Result<void> listRun(Connection& connection, const RunRecord& run);
[[nodiscard]] Result<std::vector<RunRecord>> runs(Connection& connection);
[[nodiscard]] Result<void> removeRun(Connection& connection, std::string_view uid);
[[nodiscard]] Result<void> addHistory(Connection& connection, const HistoryEntry& entry);
[[nodiscard]] Result<std::vector<HistoryEntry>> history(Connection& connection);

} // namespace headscope::sessions
