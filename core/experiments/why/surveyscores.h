// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a head's pattern on one prompt predicts its removal cost over many.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment surveyGatherAggregate();

} // namespace headscope::experiments
