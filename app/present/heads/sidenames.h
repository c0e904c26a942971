// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What sides and states are called where a person reads. Pure functions; any thread.

#include "app/state/windowstate.h"

#include <QString>

namespace headscope::gui {

/// "A" or "B"
[[nodiscard]] QString letterOf(Side side);
/// A model as it is computed: "tiny-transformer", "tiny-transformer in int8" where its weights are quantized, or its
/// type was asked for it alone.
[[nodiscard]] QString modelText(const app::ModelSummary& model);
/// "A, all heads on", "B with L2H5 ablated"
[[nodiscard]] QString stateText(const WindowState& state, const app::ModelState& of);
/// What the scoreboard says above its numbers: "A with 2 heads ablated", "A with L2H5 ablated against B, all heads on".
[[nodiscard]] QString stateHeading(const WindowState& state, Side side);
/// In lists and charts: "baseline", "L2H3 ablated".
[[nodiscard]] QString stateName(const interventions::InterventionSet& set, const app::ModelSummary* model = nullptr);
/// Model, hash, dtype, device, sample and ablation: what is written beside every number that is copied.
[[nodiscard]] QString provenance(const SideState& side, const app::Prompt& prompt);

} // namespace headscope::gui
