// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts tokens go to, as the page shows it and as a file. Pure functions; any thread.

#include "app/backend/values/expertvalues.h"
#include "widgets/why/experts/expertdata.h"

#include <QString>

#include <string>

namespace headscope::gui {

/// Layers with experts, from the first on.
[[nodiscard]] QList<int> expertLayers(const app::ModelSummary& model);
/// By expert of a layer of `count`: ablated, alone or because others are kept.
[[nodiscard]] std::vector<bool> offExperts(const interventions::InterventionSet& set, int layer, int count);
/// One layer's choices; without tokens where its experts did not run. `of`: what they are of.
[[nodiscard]] widgets::ExpertData expertData(const app::ExpertsReply& reply, int layer, const QString& of);
/// How many experts a token goes to, which take most and none, and what an ablation moves; or why there are no choices.
[[nodiscard]] QString expertSentence(const app::ExpertsReply& reply, int layer, const app::ModelSummary& model);
/// The lines that `headscope-cli experts` writes too, with weights in nine digits.
[[nodiscard]] std::string expertCsv(const app::ExpertsReply& reply);

} // namespace headscope::gui
