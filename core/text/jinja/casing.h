// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Python's methods of text that filters use too: cases, lines, replacements. Private to core/text/jinja; any thread.

#include "core/text/jinja/value.h"

namespace headscope::text::jinja {

[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string capitalized(std::string_view text); ///< the first character only
[[nodiscard]] std::string titled(std::string_view text);      ///< str.title(): words are runs of letters
[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds);
/// At most `count` replacements, all where it is below 0.
[[nodiscard]] std::string replaced(const std::string& text, const std::string& from, const std::string& to,
                                   std::int64_t count, Budget& budget);

} // namespace headscope::text::jinja
