// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A message of a conversation. Plain value; any thread.

#include <string>

namespace headscope::text {

struct ChatMessage {
    std::string role; ///< system, user, assistant, and others known to the template
    std::string content;
    bool operator==(const ChatMessage&) const = default;
};

} // namespace headscope::text
