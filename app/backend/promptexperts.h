// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts each token of a prompt goes to. Worker thread only.

#include "app/backend/state.h"
#include "app/backend/values/experts.h"

namespace headscope::app {

/// One run as things are and, with something ablated, one without. Fails for a model without experts.
[[nodiscard]] Result<ExpertsReply> readExperts(Backend::State& state, const ModelState& now, const Prompt& prompt,
                                               const Control& control);

} // namespace headscope::app
