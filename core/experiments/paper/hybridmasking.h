// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention heads of a hybrid removed, and the last row of its attention masked; SSM heads as control.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment hybridMasking();

} // namespace headscope::experiments
