// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a ranking says about the heads: which one to look at, which gather and which aggregate. Pure functions; any
// thread.

#include "app/state/sidestate.h"
#include "app/workbench/heads/headfacts.h"

#include <QStringList>

namespace headscope::gui {

/// What their removal costs decides.
[[nodiscard]] std::vector<interventions::HeadRef> dearestFirst(const std::vector<app::HeadValue>& effects);
/// Whether a head is of the kind that a side shows of a hybrid; nothing: of any kind.
[[nodiscard]] bool isOfSite(const app::HeadValue& head, std::optional<interventions::Site> site);
/// Of several that cost the same the last layer's: it is the one that fetches the answer. `site`: of this kind only.
[[nodiscard]] std::optional<interventions::HeadRef> mostImportantHead(const std::vector<app::HeadValue>& effects,
                                                                      std::optional<interventions::Site> site);
/// A head that retrieval needs is an aggregate head when its last row looks at representatives more than its
/// representatives look at their segments, else a gather head.
[[nodiscard]] RetrievalHeads foundHeads(const std::vector<app::HeadValue>& effects, const app::HeadScores& scores);
/// "aggregates", "gathers"; empty: the ranking does not call it a retrieval head.
[[nodiscard]] std::string retrievalRole(const RetrievalHeads& found, const interventions::HeadRef& head);
/// What removing a head alone costs, as the window shows it: by the scores on the screen where they are of that state,
/// else by the ranking.
[[nodiscard]] std::vector<app::HeadCost> shownCosts(const SideState& side, const app::HeadValue& effect);
/// What is known of `head`, from long to short: "aggregates · KV −0.98", "aggregates"; empty where nothing is. A number
/// is one that was measured, never an estimate.
[[nodiscard]] QStringList headTag(const SideState& side, const interventions::HeadRef& head);

} // namespace headscope::gui
