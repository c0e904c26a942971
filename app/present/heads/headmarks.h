// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Conclusions from a ranking of heads: which one to show, which gather and which aggregate. Pure functions; any
// thread.

#include "app/state/sidestate.h"
#include "app/workbench/heads/headfacts.h"

#include <QStringList>

namespace headscope::gui {

/// Returns the heads by descending cost of removal.
[[nodiscard]] std::vector<interventions::HeadRef> costliestFirst(const std::vector<app::HeadValue>& effects);
/// Returns whether a head is of the kind that a side shows of a hybrid; nothing: any kind.
[[nodiscard]] bool isOfSite(const app::HeadValue& head, std::optional<interventions::Site> site);
/// Returns the costliest head; of equals the one in the last layer, which retrieves the answer. `site`: kind.
[[nodiscard]] std::optional<interventions::HeadRef> mostImportantHead(const std::vector<app::HeadValue>& effects,
                                                                      std::optional<interventions::Site> site);
/// Classifies the heads that retrieval depends on: an aggregate head's last row attends to representatives more than
/// its representatives attend to their segments; others are gather heads.
[[nodiscard]] RetrievalHeads foundHeads(const std::vector<app::HeadValue>& effects, const app::HeadScores& scores);
/// Returns "aggregates", "gathers"; empty if it is not a retrieval head.
[[nodiscard]] std::string retrievalRole(const RetrievalHeads& found, const interventions::HeadRef& head);
/// Returns the costs of removing one head as shown in the window: from the scores on the screen if they are of that
/// state, otherwise from the ranking.
[[nodiscard]] std::vector<app::HeadCost> shownCosts(const SideState& side, const app::HeadValue& effect);
/// Returns the role of `head`, longest form first: "aggregates · KV −0.98", "aggregates"; empty if unknown. Numbers are
/// measured, never estimated.
[[nodiscard]] QStringList headTag(const SideState& side, const interventions::HeadRef& head);

} // namespace headscope::gui
