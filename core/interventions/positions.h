// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Checks whether positions in interventions exist in a prompt. Any thread.

#include "core/interventions/intervention.h"

#include <string_view>

namespace headscope::interventions {

/// Fails with one sentence for an intervention whose positions are all outside a prompt of that many tokens: it would
/// silently do nothing. `text`: how the sentence refers to the prompt.
[[nodiscard]] Result<void> checkPositions(const InterventionSet& set, int length, std::string_view text = "the prompt");

} // namespace headscope::interventions
