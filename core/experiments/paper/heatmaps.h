// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What gather and aggregate heads look at in attention and in SSMs: peaked beside diffuse.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment heatmaps();

} // namespace headscope::experiments
