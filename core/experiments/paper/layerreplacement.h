// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One layer of an aligned SSM replaced by its Transformer's.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment layerReplacement();

} // namespace headscope::experiments
