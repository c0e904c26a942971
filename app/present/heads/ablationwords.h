// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes interventions in words, never in the notation of the command line. Pure functions; any thread.

#include "app/backend/values/modelvalues.h"
#include "core/interventions/intervention.h"

#include <QString>

namespace headscope::gui {

/// "L2H5 ablated", "attention of layer 2 blocked from the last token", "only L1H2 kept in layer 1"; several joined by
/// commas, more than a few counted. Empty for the empty set. `model`: used to distinguish channels from heads.
[[nodiscard]] QString ablationWords(const interventions::InterventionSet& set,
                                    const app::ModelSummary* model = nullptr);
/// Returns heads as a list, "L1H2, L2H5"; empty if the set contains anything else, or more than `most` heads.
[[nodiscard]] QString ablatedHeads(const interventions::InterventionSet& set, int most,
                                   const app::ModelSummary* model = nullptr);
/// Returns "3 heads and 1 channel", "2 experts".
[[nodiscard]] QString countedHeads(int heads, int channels, int experts = 0);

} // namespace headscope::gui
