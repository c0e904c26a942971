// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text functions with Python's semantics, in which the benchmarks' reference prompts are defined. All take and return
// valid UTF-8. Pure functions; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

/// Equal str.strip / lstrip / rstrip over Python's white space (the same code points as ICU's u_isspace).
[[nodiscard]] std::string_view strip(std::string_view text);
[[nodiscard]] std::string_view lstrip(std::string_view text);
[[nodiscard]] std::string_view rstrip(std::string_view text);

/// Equals str.split() without an argument: splits at runs of white space, without empty parts.
[[nodiscard]] std::vector<std::string> splitWhitespace(std::string_view text);

/// Equals len(str): Unicode code points, the divisor of acc_norm.
[[nodiscard]] int codePoints(std::string_view text);

/// Equals str.replace: left to right, non-overlapping.
[[nodiscard]] std::string replaceAll(std::string_view text, std::string_view from, std::string_view to);

/// Equals str.lower.
[[nodiscard]] std::string lower(std::string_view text);
/// Equals str.capitalize: the first character in title case, all others in lower case.
[[nodiscard]] std::string capitalize(std::string_view text);

/// Removes the 32 characters of string.punctuation.
[[nodiscard]] std::string withoutAsciiPunctuation(std::string_view text);
/// Removes every code point of general category P.
[[nodiscard]] std::string withoutUnicodePunctuation(std::string_view text);

/// Returns the byte offset of the first byte that is not well-formed UTF-8 (Unicode 15, table 3-7), or npos.
[[nodiscard]] std::size_t findInvalidUtf8(std::string_view bytes);

/// Returns at most `limit` code points of the text on one line, with an ellipsis if cut: for messages.
[[nodiscard]] std::string excerpt(std::string_view text, int limit = 60);

} // namespace headscope::tasks
