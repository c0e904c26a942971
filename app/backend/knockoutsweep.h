// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What knocking edges out costs, by the window of layers that they are knocked out in. Worker thread only.

#include "app/backend/state.h"
#include "app/backend/values/sweep.h"

namespace headscope::app {

[[nodiscard]] Result<SweepReply> readSweep(Backend::State& state, const SweepQuestion& question,
                                           const Control& control);

} // namespace headscope::app
