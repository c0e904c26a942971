// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finished rankings. See SessionStore, which calls them. One thread at a
// time.

#include "sessions/file/connection.h"
#include "sessions/records.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

[[nodiscard]] Result<std::string> addRanking(Connection& connection, const RankingRecord& ranking);
[[nodiscard]] Result<std::vector<RankingRecord>> rankings(Connection& connection);

} // namespace headscope::sessions
