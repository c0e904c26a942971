// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether what a head looks at in one prompt says what its removal costs over many.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment surveyGatherAggregate();

} // namespace headscope::experiments
