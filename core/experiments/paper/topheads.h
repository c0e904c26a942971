// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The first heads of a ranking removed, with random heads as control.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment ranking();

} // namespace headscope::experiments
