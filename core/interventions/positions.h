// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether what is named by position is there in a text. Any thread.

#include "core/interventions/intervention.h"

#include <string_view>

namespace headscope::interventions {

/// Fails with one sentence for an intervention at positions of which a text of that many tokens has none: it would do
/// nothing, and say that it did. `text`: what the sentence calls it.
[[nodiscard]] Result<void> checkPositions(const InterventionSet& set, int length, std::string_view text = "the prompt");

} // namespace headscope::interventions
