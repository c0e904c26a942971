// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Suggests the known name that a misspelt one probably means. Pure function; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Returns " (did you mean 'score'?)" with the known name that `word` resembles most, or an empty string if none is
/// close. Case and punctuation do not count; a missing, additional or different letter counts as one, two swapped
/// letters as half.
[[nodiscard]] std::string didYouMean(std::string_view word, const std::vector<std::string>& known);

} // namespace headscope
