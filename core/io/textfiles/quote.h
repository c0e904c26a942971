// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes names from files safe for an error message: short and printable. Any thread.

#include <string>
#include <string_view>

namespace headscope::io {

/// Returns the text in single quotes; control characters become '?', more than 100 bytes are truncated with dots.
[[nodiscard]] inline std::string inQuotes(std::string_view text)
{
    constexpr std::size_t kLongest = 100;
    std::string out = "'";
    for (const char c : text.substr(0, kLongest))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    if (text.size() > kLongest)
        out += "...";
    return out + "'";
}

} // namespace headscope::io
