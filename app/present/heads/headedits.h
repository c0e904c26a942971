// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a person does to heads, as ablation sets: each function takes the present set and gives the next. Pure; any
// thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/heads/headmapmodel.h"
#include "widgets/heads/headmapview.h"

namespace headscope::gui {

using interventions::InterventionSet;

/// Whatever was done to these heads before is replaced. In a layer where only some are kept, on and off mean in and out
/// of that list.
[[nodiscard]] InterventionSet switched(const app::ModelSummary& model, const InterventionSet& set,
                                       const QList<widgets::HeadSpan>& heads, bool off,
                                       widgets::HeadCut cut = widgets::HeadCut::Zero);
/// The same of heads or experts by name.
[[nodiscard]] InterventionSet switched(const app::ModelSummary& model, const InterventionSet& set,
                                       const std::vector<interventions::HeadRef>& heads, bool off,
                                       interventions::Replacement replacement = interventions::Replacement::Zero);
/// Off at the last position only.
[[nodiscard]] InterventionSet ablatedAtLastPosition(const app::ModelSummary& model, const InterventionSet& set,
                                                    const QList<widgets::HeadSpan>& heads);
/// This head, or with -1 every one of its layer and kind, off at these positions only; elsewhere it stays as it is.
[[nodiscard]] InterventionSet ablatedAtPositions(const InterventionSet& set, const interventions::HeadRef& head,
                                                 const interventions::PositionSpan& positions);
/// Layers without a named head stay whole.
[[nodiscard]] InterventionSet keptOnly(const app::ModelSummary& model, const QList<widgets::HeadSpan>& heads);
/// Puts an item in, or takes it out where it is there.
[[nodiscard]] InterventionSet toggled(const InterventionSet& set, const interventions::Intervention& item);
/// The paper's minimal model: layers up to this one. Again on the same layer: all layers.
[[nodiscard]] InterventionSet minimalUpTo(const InterventionSet& set, int layer);
/// The `count` heads that stand out most in a metric: the largest values, in a signed metric the largest magnitudes.
/// Heads without a value never.
[[nodiscard]] InterventionSet topHeads(const app::ModelSummary& model, const widgets::HeadMetric& metric, int count);
/// `count` heads by chance; the same seed gives the same heads on every machine.
[[nodiscard]] InterventionSet randomHeads(const app::ModelSummary& model, int count, quint64 seed);

} // namespace headscope::gui
