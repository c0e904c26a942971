// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// UTF-8 routines used where ICU's macros would hide the byte positions needed for offsets. Any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

/// Returns the byte position of the first ill-formed sequence (Unicode 16, table 3-7), or nothing for valid UTF-8.
[[nodiscard]] std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

/// Returns the position after the longest ASCII-only prefix.
[[nodiscard]] std::size_t asciiPrefix(std::string_view text);

/// Returns `text` with one U+FFFD for every maximal ill-formed prefix, as recommended by the Unicode standard.
[[nodiscard]] std::string replaceInvalidUtf8(std::string_view text);

void appendUtf8(std::string& out, char32_t c);

/// Returns the bytes of the character that begins with `lead`, which must begin a character of valid UTF-8.
[[nodiscard]] inline std::size_t utf8Length(unsigned char lead)
{
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

[[nodiscard]] inline bool isUtf8Continuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Decodes the character at `i` of valid UTF-8 and moves `i` past it.
[[nodiscard]] inline char32_t nextCharacter(std::string_view text, std::size_t& i)
{
    const auto at = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[k])); };
    const char32_t lead = at(i);
    if (lead < 0x80) {
        ++i;
        return lead;
    }
    if (lead < 0xE0) {
        const char32_t c = (lead & 0x1F) << 6 | (at(i + 1) & 0x3F);
        i += 2;
        return c;
    }
    if (lead < 0xF0) {
        const char32_t c = (lead & 0x0F) << 12 | (at(i + 1) & 0x3F) << 6 | (at(i + 2) & 0x3F);
        i += 3;
        return c;
    }
    const char32_t c = (lead & 0x07) << 18 | (at(i + 1) & 0x3F) << 12 | (at(i + 2) & 0x3F) << 6 | (at(i + 3) & 0x3F);
    i += 4;
    return c;
}

/// Returns the character that ends right before `i` > 0 of valid UTF-8; moves `i` to its first byte.
[[nodiscard]] inline char32_t previousCharacter(std::string_view text, std::size_t& i)
{
    --i;
    while (isUtf8Continuation(text[i]))
        --i;
    std::size_t k = i;
    return nextCharacter(text, k);
}

} // namespace headscope::text
