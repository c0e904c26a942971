// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What weights say of heads, and what heads do on probe sequences. Worker thread only.

#include "app/backend/state.h"
#include "app/backend/values/weights.h"

namespace headscope::app {

/// What the weights say, whatever is ablated.
[[nodiscard]] Result<WeightsReply> readWeights(Backend::State& state, const WeightsQuestion& question,
                                               const Control& control);
/// Scores of every head on probe sequences.
[[nodiscard]] Result<ProbeReply> readProbes(Backend::State& state, const ProbeQuestion& question,
                                            const Control& control);

} // namespace headscope::app
