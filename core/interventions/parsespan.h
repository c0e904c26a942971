// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Positions as people write them. Pure; any thread.

#include "core/interventions/intervention.h"

#include <optional>
#include <string_view>

namespace headscope::interventions {

/// "30-36" or "30", as behind the @ of an intervention; nothing where it reads otherwise.
[[nodiscard]] std::optional<PositionSpan> parseSpan(std::string_view text);

} // namespace headscope::interventions
