// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Expert routing for its page and as a file. Pure functions; any thread.

#include "app/backend/values/expertvalues.h"
#include "widgets/why/experts/expertdata.h"

#include <QString>

#include <string>

namespace headscope::gui {

/// Returns the layers with experts, ascending.
[[nodiscard]] QList<int> expertLayers(const app::ModelSummary& model);
/// Returns by expert, in a layer of `count`, whether it is ablated, itself or because others are kept.
[[nodiscard]] std::vector<bool> offExperts(const interventions::InterventionSet& set, int layer, int count);
/// Returns the choices of one layer; without tokens if its experts did not run. `of`: provenance.
[[nodiscard]] widgets::ExpertData expertData(const app::ExpertsReply& reply, int layer, const QString& of);
/// Returns experts per token, most and least used ones, and changes by an ablation; or why there are none.
[[nodiscard]] QString expertSentence(const app::ExpertsReply& reply, int layer, const app::ModelSummary& model);
/// Returns the same lines as `headscope-cli experts`, with nine-digit weights.
[[nodiscard]] std::string expertCsv(const app::ExpertsReply& reply);

} // namespace headscope::gui
