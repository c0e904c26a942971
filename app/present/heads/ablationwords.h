// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is done to a model, in words: never as the notation of the command line. Pure functions; any thread.

#include "app/backend/values/modelvalues.h"
#include "core/interventions/intervention.h"

#include <QString>

namespace headscope::gui {

/// "L2H5 ablated", "attention of layer 2 blocked from the last token", "only L1H2 kept in layer 1"; several joined by
/// commas, more than a few counted. Empty for the empty set. `model`: whose heads, to distinguish channels from heads.
[[nodiscard]] QString ablationWords(const interventions::InterventionSet& set,
                                    const app::ModelSummary* model = nullptr);
/// Heads alone as a list, "L1H2, L2H5"; empty where anything else is in the set, or there are more than `most`.
[[nodiscard]] QString ablatedHeads(const interventions::InterventionSet& set, int most,
                                   const app::ModelSummary* model = nullptr);
/// "3 heads and 1 channel", "2 experts"
[[nodiscard]] QString countedHeads(int heads, int channels, int experts = 0);

} // namespace headscope::gui
