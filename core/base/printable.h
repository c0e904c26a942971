// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text of unknown origin made fit for a terminal or a log: what would move the cursor, colour, rename the window or
// turn the direction of writing is shown as an escape. Any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

enum class Newlines { Keep, Escape };

/// Control characters (C0, DEL, C1), direction marks and bytes that are no UTF-8 as `\x1b`, `\u202e`, `\xff`; tabs
/// stay. Of a longer text the first `maxBytes` and how many follow.
[[nodiscard]] std::string printable(std::string_view text, Newlines newlines, std::size_t maxBytes = std::string::npos);

/// JSON that means the same, without DEL, C1 and direction marks (JSON itself escapes the others).
[[nodiscard]] std::string printableJson(std::string json);

} // namespace headscope
