// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges that a person knocks out, as an ablation set. Pure functions; any thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/why/knockoutdialog.h"

namespace headscope::gui {

[[nodiscard]] widgets::KnockoutPlace knockoutPlace(const app::ModelSummary& model, const interventions::HeadRef& head,
                                                   const QStringList& tokens);
/// What takes these edges out: attention before or after the softmax, entries of SSM heads after.
[[nodiscard]] std::vector<interventions::Intervention>
knockedOut(const app::ModelSummary& model, const interventions::HeadRef& head, const widgets::KnockoutChoice& choice);

} // namespace headscope::gui
