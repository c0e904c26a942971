// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Messages used by several controllers. Pure functions; any thread.

#include "app/backend/values.h"
#include "app/state/message.h"

namespace headscope::gui {

/// Returns "Ranking heads needs the model X, which is not here."
[[nodiscard]] Message needsModel(const app::ModelSummary& model, Side side, const QString& what);

} // namespace headscope::gui
