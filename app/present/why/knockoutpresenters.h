// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts the user's attention knockout to an ablation set. Pure functions; any thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"
#include "widgets/why/knockoutdialog.h"

namespace headscope::gui {

[[nodiscard]] widgets::KnockoutPlace knockoutPlace(const app::ModelSummary& model, const interventions::HeadRef& head,
                                                   const QStringList& tokens);
/// Returns interventions that remove these edges: attention before or after the softmax, SSM entries after.
[[nodiscard]] std::vector<interventions::Intervention>
knockedOut(const app::ModelSummary& model, const interventions::HeadRef& head, const widgets::KnockoutChoice& choice);

} // namespace headscope::gui
