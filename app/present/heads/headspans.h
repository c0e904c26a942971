// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads as shown in the map: rows, spans of neighbours, and ablated ones. Pure functions; any thread.

#include "app/backend/values.h"
#include "widgets/heads/headmapmodel.h"

#include <string>
#include <vector>

namespace headscope::gui {

/// Returns the mixers of a layer, in the order in which they run.
[[nodiscard]] const std::vector<app::MixerSummary>& mixersOf(const app::ModelSummary& model, int layer);
[[nodiscard]] std::vector<widgets::HeadRow> headRows(const app::ModelSummary& model);
/// Returns a head of the map; `offset`: its index within the span.
[[nodiscard]] interventions::HeadRef headRef(const app::ModelSummary& model, const widgets::HeadSpan& span,
                                             int offset = 0);
[[nodiscard]] widgets::HeadSpan headSpan(const app::ModelSummary& model, const interventions::HeadRef& head);
/// Returns the name as on the command line: "L2H5", "L2A5"; a channel of Mamba-1 is "L2C5".
[[nodiscard]] std::string headName(const app::ModelSummary& model, const interventions::HeadRef& head);
/// Returns the heads ablated by a set: removed ones, those that "keep" leaves out, and those of skipped layers.
[[nodiscard]] QList<widgets::HeadSpan> offHeads(const app::ModelSummary& model,
                                                const interventions::InterventionSet& set);
/// Returns the heads that it changes in part: ablated at some tokens only, scaled, or with masked entries.
[[nodiscard]] QList<widgets::HeadSpan> partlyOffHeads(const app::ModelSummary& model,
                                                      const interventions::InterventionSet& set);

} // namespace headscope::gui
