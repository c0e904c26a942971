// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The byte-level alphabet of GPT-2's tokenizer: one printable character for each of the 256 bytes. Any thread.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

/// The character (UTF-8) that stands for each byte: itself for 0x21-0x7E, 0xA1-0xAC, 0xAE-0xFF; U+0100 and on for the
/// rest.
[[nodiscard]] const std::array<std::string, 256>& byteAlphabet();

/// The byte that `c` stands for, or nothing when it is not in the alphabet.
[[nodiscard]] std::optional<unsigned char> byteOf(char32_t c);

/// `text` with each byte replaced by its character.
[[nodiscard]] std::string toByteLevel(std::string_view text);

} // namespace headscope::text
