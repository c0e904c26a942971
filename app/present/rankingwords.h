// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How sure a ranking is of its heads, in words. Pure functions; any thread.

#include "app/backend/values.h"

#include <QString>

namespace headscope::gui {

/// Of one head of a finished ranking: "n = 256 · p = 1e-75, 3e-74 by Holm, 4e-75 by Benjamini-Hochberg".
[[nodiscard]] QString certaintyText(const app::HeadValue& head);

/// Of all: which heads cost something by Holm and by Benjamini-Hochberg, and which can not be told apart. Empty where
/// nothing was tested.
[[nodiscard]] QString rankingSentence(const QString& side, const app::ModelSummary& model,
                                      const std::vector<app::HeadValue>& heads);

} // namespace headscope::gui
