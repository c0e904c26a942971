// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What patching and edges would take, told before they are begun. Worker thread only.

#include "app/backend/state.h"
#include "app/backend/values/paircost.h"

namespace headscope::app {

[[nodiscard]] Result<PairCost> readCost(Backend::State& state, const CostQuestion& question);

} // namespace headscope::app
