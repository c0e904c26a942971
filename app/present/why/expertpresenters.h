// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Expert routing for its page and as a file. Pure functions; any thread.

#include "app/backend/values/expertvalues.h"
#include "widgets/why/experts/expertpage.h"

#include <QString>

#include <memory>
#include <string>

namespace headscope::gui {

/// Returns the layers with experts, ascending.
[[nodiscard]] QList<int> expertLayers(const app::ModelSummary& model);
/// Returns by expert, in a layer of `count`, whether it is ablated, itself or because others are kept.
[[nodiscard]] std::vector<bool> offExperts(const interventions::InterventionSet& set, int layer, int count);
/// Tokens and the experts of one layer, first the one that runs for every token where there is one; nothing where its
/// experts did not run. `of`: see provenance().
[[nodiscard]] widgets::GridData expertGrid(const std::shared_ptr<const app::ExpertsReply>& reply, int layer,
                                           widgets::ExpertOrder order, Side side, const QString& of);
/// How many experts a token goes to, which take most and none, and what an ablation moves; or why there are no choices.
[[nodiscard]] QString expertSentence(const app::ExpertsReply& reply, int layer, const app::ModelSummary& model);
/// Returns the same lines as `headscope-cli experts`, with nine-digit weights.
[[nodiscard]] std::string expertCsv(const app::ExpertsReply& reply);

} // namespace headscope::gui
