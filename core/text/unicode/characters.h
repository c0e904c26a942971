// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The character classes used by the reference tokenizers, from ICU's data. Any thread.
// Each class follows the Unicode version that the reference library uses for it, determined by querying it for every
// code point.

namespace headscope::text {

/// Returns whether c is White_Space.
[[nodiscard]] bool isWhitespace(char32_t c);
/// Returns whether c is `\w` of Unicode regular expressions: Alphabetic, M, Nd, Pc and Join_Control.
[[nodiscard]] bool isWordCharacter(char32_t c);
/// Returns whether c has category Nd, Nl or No.
[[nodiscard]] bool isNumeric(char32_t c);
/// Returns whether c is ASCII punctuation or of a category P* of Unicode 8, the reference's version for this class.
[[nodiscard]] bool isPunctuation(char32_t c);

/// Returns an older character of the same category and UTF-8 length for a character that the system's Unicode data may
/// not know yet, else `c` itself. For matching only.
[[nodiscard]] char32_t standIn(char32_t c);

} // namespace headscope::text
