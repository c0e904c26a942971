// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes the certainty of a ranking of heads. Pure functions; any thread.

#include "app/backend/values.h"

#include <QString>

namespace headscope::gui {

/// For one head of a finished ranking: "n = 256 · p = 1e-75, 3e-74 by Holm, 4e-75 by Benjamini-Hochberg".
[[nodiscard]] QString certaintyText(const app::HeadValue& head);

/// For all heads: which have a cost by Holm and by Benjamini-Hochberg, and which cannot be distinguished. Empty if
/// nothing was tested.
[[nodiscard]] QString rankingSentence(const QString& side, const app::ModelSummary& model,
                                      const std::vector<app::HeadValue>& heads);

/// For one prompt: "A, on this prompt: the answer depends most on L1H6 (8.31), L0H2 (3.10), L2H0 (1.02)."; lists
/// measured heads whose removal lowers the answer's logit difference. Empty if there are none.
[[nodiscard]] QString promptRankingSentence(const QString& side, const app::ModelSummary& model,
                                            std::vector<app::HeadValue> heads);

} // namespace headscope::gui
