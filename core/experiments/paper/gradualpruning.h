// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Layers removed from the end, one after another: where multiple choice falls and knowledge does not yet.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment gradualPruning();

} // namespace headscope::experiments
