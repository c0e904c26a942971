// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Window state of one kind at once: all that is kept under keys with the same beginning. On the session's thread.

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::sessions {

class SessionStore;

/// Keys and values, by key; of more than a thousand the first thousand.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> uiStates(SessionStore& session,
                                                                                std::string_view prefix);

} // namespace headscope::sessions
