// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stored patterns and their inputs. See SessionStore, which calls them. One thread at a
// time.

#include "sessions/file/connection.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

[[nodiscard]] Result<PatternInfo> putPattern(Connection& connection, const PatternRecord& pattern);
[[nodiscard]] Result<std::vector<PatternInfo>> patterns(Connection& connection);
[[nodiscard]] Result<PatternRecord> pattern(Connection& connection, std::int64_t id);

} // namespace headscope::sessions
