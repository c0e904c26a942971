// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes text of unknown origin safe for a terminal, a log or a label: characters that are invisible, move the cursor or
// change the writing direction are shown as marks. Any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

enum class Newlines { Keep, Escape };

/// Returns a token as shown everywhere, so that two different tokens look different: `<U+200B>` for an invisible
/// character (controls, format and direction marks, spaces other than U+0020, private and unassigned code
/// points), `<0xE6>` for a byte that is not UTF-8, and a dotted circle under a combining mark without a
/// character to combine with. Space, tab and line ends stay. Applying it twice has the same result as applying
/// it once.
[[nodiscard]] std::string visible(std::string_view token);

/// Escapes invisible characters and bytes that are not UTF-8 in running text as `\x1b`, `\u202e`, `\xff`; tabs and
/// spaces stay, as do joiners and variation selectors after a letter or symbol, whose form they choose. Longer text is
/// cut to the first `maxBytes`, followed by the number of omitted bytes.
[[nodiscard]] std::string printable(std::string_view text, Newlines newlines, std::size_t maxBytes = std::string::npos);

/// Returns equivalent JSON with an escape for each invisible character.
[[nodiscard]] std::string printableJson(std::string json);

} // namespace headscope
