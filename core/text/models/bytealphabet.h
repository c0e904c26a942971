// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The byte-level alphabet of GPT-2's tokenizer: one printable character for each of the 256 bytes. Any thread.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

/// Returns the character (UTF-8) for each byte: itself for 0x21-0x7E, 0xA1-0xAC, 0xAE-0xFF; U+0100 and following for
/// the rest.
[[nodiscard]] const std::array<std::string, 256>& byteAlphabet();

/// Returns the byte for `c`, or nothing if it is not in the alphabet.
[[nodiscard]] std::optional<unsigned char> byteOf(char32_t c);

/// Returns `text` with each byte replaced by its character.
[[nodiscard]] std::string toByteLevel(std::string_view text);

} // namespace headscope::text
