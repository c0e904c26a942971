// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's actions on heads as changes of ablation sets: each function returns a modified set. Pure; any
// thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/heads/headmapmodel.h"
#include "widgets/heads/headmapview.h"

namespace headscope::gui {

using interventions::InterventionSet;

/// Replaces earlier interventions on these heads. In a layer where only some are kept, on and off add and remove heads
/// of that list.
[[nodiscard]] InterventionSet switched(const app::ModelSummary& model, const InterventionSet& set,
                                       const QList<widgets::HeadSpan>& heads, bool off,
                                       widgets::HeadCut cut = widgets::HeadCut::Zero);
/// The same for heads or experts by name.
[[nodiscard]] InterventionSet switched(const app::ModelSummary& model, const InterventionSet& set,
                                       const std::vector<interventions::HeadRef>& heads, bool off,
                                       interventions::Replacement replacement = interventions::Replacement::Zero);
/// Ablates heads at the last position only.
[[nodiscard]] InterventionSet ablatedAtLastPosition(const app::ModelSummary& model, const InterventionSet& set,
                                                    const QList<widgets::HeadSpan>& heads);
/// Ablates this head, or with -1 all heads of its layer and kind, at these positions only; elsewhere it is unchanged.
[[nodiscard]] InterventionSet ablatedAtPositions(const InterventionSet& set, const interventions::HeadRef& head,
                                                 const interventions::PositionSpan& positions);
/// Keeps only these heads. Layers without any of them stay complete.
[[nodiscard]] InterventionSet keptOnly(const app::ModelSummary& model, const QList<widgets::HeadSpan>& heads);
/// Adds an item, or removes it if it is in the set.
[[nodiscard]] InterventionSet toggled(const InterventionSet& set, const interventions::Intervention& item);
/// The minimal model of the paper: layers up to this one. The same layer again restores all layers.
[[nodiscard]] InterventionSet minimalUpTo(const InterventionSet& set, int layer);
/// Ablates the top `count` heads of a metric: the largest values, in a signed metric the largest magnitudes. Never
/// heads without a value.
[[nodiscard]] InterventionSet topHeads(const app::ModelSummary& model, const widgets::HeadMetric& metric, int count);
/// Ablates `count` random heads; the same seed yields the same heads on every machine.
[[nodiscard]] InterventionSet randomHeads(const app::ModelSummary& model, int count, quint64 seed);

} // namespace headscope::gui
