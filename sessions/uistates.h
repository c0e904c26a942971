// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads all window state under keys with the same prefix at once. On the session's thread.

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Returns keys and values, by key; at most the first thousand.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> uiStates(SessionStore& session,
                                                                                std::string_view prefix);

} // namespace headscope::sessions
