// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text functions with the meaning they have in Python, which is what the benchmarks' reference prompts are made with.
// All take and give valid UTF-8. Pure functions; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

/// str.strip / lstrip / rstrip over Python's white space (ICU's u_isspace is the same set of code points).
[[nodiscard]] std::string_view strip(std::string_view text);
[[nodiscard]] std::string_view lstrip(std::string_view text);
[[nodiscard]] std::string_view rstrip(std::string_view text);

/// str.split() without an argument: on runs of white space, no empty pieces.
[[nodiscard]] std::vector<std::string> splitWhitespace(std::string_view text);

/// len(str): Unicode code points, the divisor of acc_norm.
[[nodiscard]] int codePoints(std::string_view text);

/// str.replace: left to right, non-overlapping.
[[nodiscard]] std::string replaceAll(std::string_view text, std::string_view from, std::string_view to);

/// str.lower.
[[nodiscard]] std::string lower(std::string_view text);
/// str.capitalize: the first character in title case, all others in lower case.
[[nodiscard]] std::string capitalize(std::string_view text);

/// Without the 32 characters of string.punctuation.
[[nodiscard]] std::string withoutAsciiPunctuation(std::string_view text);
/// Without every code point of general category P.
[[nodiscard]] std::string withoutUnicodePunctuation(std::string_view text);

/// Byte offset of the first byte that is not well-formed UTF-8 (Unicode 15, table 3-7), or npos.
[[nodiscard]] std::size_t findInvalidUtf8(std::string_view bytes);

/// At most `limit` code points of the text on one line, with an ellipsis when cut: for messages.
[[nodiscard]] std::string excerpt(std::string_view text, int limit = 60);

} // namespace headscope::tasks
