// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Python's string methods that filters also use: cases, lines, replacements. Private to core/text/jinja; any thread.

#include "core/text/jinja/value.h"

namespace headscope::text::jinja {

[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string capitalized(std::string_view text); ///< the first character only
[[nodiscard]] std::string titled(std::string_view text);      ///< str.title(): words are runs of letters
[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds);
/// Returns the text with at most `count` replacements, all if it is negative.
[[nodiscard]] std::string replaced(const std::string& text, const std::string& from, const std::string& to,
                                   std::int64_t count, Budget& budget);

} // namespace headscope::text::jinja
