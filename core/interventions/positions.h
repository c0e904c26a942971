// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether what is named by position is there in a text. Any thread.

#include "core/interventions/intervention.h"

namespace headscope::interventions {

/// Fails with one sentence for an intervention at positions of which a text of so many tokens has none: it would do
/// nothing, and say that it did.
[[nodiscard]] Result<void> checkPositions(const InterventionSet& set, int length);

} // namespace headscope::interventions
