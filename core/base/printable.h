// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text of unknown origin made fit for a terminal, a log or a label: characters that cannot be seen, move the cursor or
// turn the direction of writing are shown as marks. Any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

enum class Newlines { Keep, Escape };

/// A token as it is shown everywhere, so that two different tokens look different: `<U+200B>` for a character that
/// cannot be seen (controls, format and direction marks, blanks other than the space, private and unassigned code
/// points),
/// `<0xE6>` for a byte that is not UTF-8, a dotted circle under a combining mark that has nothing to combine with.
/// Space, tab and line ends stay. Applied twice it is as applied once.
[[nodiscard]] std::string visible(std::string_view token);

/// Running text, characters that cannot be seen and bytes that are not UTF-8 as `\x1b`, `\u202e`, `\xff`; tabs and
/// blanks stay, and joiners and variation selectors behind a letter or symbol, whose form they choose. Of a longer text
/// the first `maxBytes` and how many follow.
[[nodiscard]] std::string printable(std::string_view text, Newlines newlines, std::size_t maxBytes = std::string::npos);

/// JSON that means the same, with an escape for each character that cannot be seen.
[[nodiscard]] std::string printableJson(std::string json);

} // namespace headscope
