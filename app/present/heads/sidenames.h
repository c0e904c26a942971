// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names of sides and states in user-visible text. Pure functions; any thread.

#include "app/state/windowstate.h"

#include <QString>

namespace headscope::gui {

/// Returns "A" or "B".
[[nodiscard]] QString letterOf(Side side);
/// Returns the name of a model with its dtype: "tiny-transformer", "tiny-transformer in int8" if its weights are
/// quantized or the dtype was requested for this model only.
[[nodiscard]] QString modelText(const app::ModelSummary& model);
/// Returns "A, all heads on", "B with L2H5 ablated".
[[nodiscard]] QString stateText(const WindowState& state, const app::ModelState& of);
/// Returns the heading of the scoreboard: "A with 2 heads ablated", "A with L2H5 ablated against B, all heads on".
[[nodiscard]] QString stateHeading(const WindowState& state, Side side);
/// Returns the name for lists and charts: "baseline", "L2H3 ablated".
[[nodiscard]] QString stateName(const interventions::InterventionSet& set, const app::ModelSummary* model = nullptr);
/// Returns model, hash, dtype, device, sample and ablation, which accompany every copied number.
[[nodiscard]] QString provenance(const SideState& side, const app::Prompt& prompt);

} // namespace headscope::gui
