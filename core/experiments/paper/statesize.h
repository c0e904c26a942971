// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Accuracy by state size of the SSM heads beside a few attention heads.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment stateSize();

} // namespace headscope::experiments
