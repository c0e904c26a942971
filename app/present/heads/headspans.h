// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads as the map shows them: rows, spans of neighbours, and which are off. Pure functions; any thread.

#include "app/backend/values.h"
#include "widgets/heads/headmapmodel.h"

#include <string>
#include <vector>

namespace headscope::gui {

/// The mixers of a layer, in the order in which it runs them.
[[nodiscard]] const std::vector<app::MixerSummary>& mixersOf(const app::ModelSummary& model, int layer);
[[nodiscard]] std::vector<widgets::HeadRow> headRows(const app::ModelSummary& model);
/// A head of the map; `offset` counts within the span.
[[nodiscard]] interventions::HeadRef headRef(const app::ModelSummary& model, const widgets::HeadSpan& span,
                                             int offset = 0);
[[nodiscard]] widgets::HeadSpan headSpan(const app::ModelSummary& model, const interventions::HeadRef& head);
/// As the command line writes it: "L2H5", "L2A5"; a channel of Mamba-1 is "L2C5".
[[nodiscard]] std::string headName(const app::ModelSummary& model, const interventions::HeadRef& head);
/// Which heads an ablation set switches off for the map: removed ones, those that "keep" leaves out, skipped layers.
[[nodiscard]] QList<widgets::HeadSpan> offHeads(const app::ModelSummary& model,
                                                const interventions::InterventionSet& set);
/// Heads that it changes at some tokens only: off there, or with entries of their matrix that are masked.
[[nodiscard]] QList<widgets::HeadSpan> partlyOffHeads(const app::ModelSummary& model,
                                                      const interventions::InterventionSet& set);

} // namespace headscope::gui
