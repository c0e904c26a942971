// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The command-line notation, word by word. Spaces separate interventions, commas join heads; a prefix or suffix of a
// list of heads applies to all of them: "L1H3,L2H5=mean". Pure; any thread.

#include "core/interventions/intervention.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::interventions {

/// Splits a text into words at white space, except beside a comma: "L1H3, L2H5" is one word.
[[nodiscard]] std::vector<std::string> wordsOf(std::string_view text);
/// Parses one word, such as "L2H5" or "mask:L2H5[q=36,k=14]", and appends its interventions, possibly several.
[[nodiscard]] Result<void> parseWord(std::string_view word, std::vector<Intervention>& out);

/// Parses "30-36" or "30", as after the @ of an intervention; nothing for any other text.
[[nodiscard]] std::optional<PositionSpan> parseSpan(std::string_view text);

} // namespace headscope::interventions
