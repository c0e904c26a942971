// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patterns of gather and aggregate heads in attention and in SSMs: peaked or diffuse.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment heatmaps();

} // namespace headscope::experiments
