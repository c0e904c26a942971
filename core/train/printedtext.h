// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// printf into a string. (The torch wheel includes fmt headers of another version than the system's library, so fmt
// cannot be used in files that include torch.) Any thread.

#include <cstdarg>
#include <cstdio>
#include <string>

namespace headscope::train {

/// Returns up to 511 characters; longer text is truncated.
[[nodiscard, gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

} // namespace headscope::train
