// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The notation of the command line, word by word. Pure; any thread.

#include "core/interventions/intervention.h"

#include <optional>
#include <string_view>
#include <vector>

namespace headscope::interventions {

/// One word, such as "L2H5" or "mask:L2H5[q=36,k=14]", behind the others; a word may be several interventions.
[[nodiscard]] Result<void> parseWord(std::string_view word, std::vector<Intervention>& out);

/// "30-36" or "30", as behind the @ of an intervention; nothing where it reads otherwise.
[[nodiscard]] std::optional<PositionSpan> parseSpan(std::string_view text);

} // namespace headscope::interventions
