// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The notation of the command line, word by word. Spaces part interventions, commas join heads; what precedes or
// follows a list of heads holds for all of them: "L1H3,L2H5=mean". Pure; any thread.

#include "core/interventions/intervention.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::interventions {

/// The words of a text, separated by white space; white space beside a comma does not part them: "L1H3, L2H5" is one.
[[nodiscard]] std::vector<std::string> wordsOf(std::string_view text);
/// One word, such as "L2H5" or "mask:L2H5[q=36,k=14]", behind the others; a word may be several interventions.
[[nodiscard]] Result<void> parseWord(std::string_view word, std::vector<Intervention>& out);

/// "30-36" or "30", as behind the @ of an intervention; nothing where it reads otherwise.
[[nodiscard]] std::optional<PositionSpan> parseSpan(std::string_view text);

} // namespace headscope::interventions
