// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The first k heads of a ranking kept as attention, the others distilled into SSM heads.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment hybrids();

} // namespace headscope::experiments
