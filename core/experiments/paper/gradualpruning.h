// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Layers removed from the end, one after another: the point at which multiple choice falls but not yet knowledge.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment gradualPruning();

} // namespace headscope::experiments
