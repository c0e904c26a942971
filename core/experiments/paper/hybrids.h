// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The first k heads of a ranking stay attention, the others are distilled into SSM heads.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment hybrids();

} // namespace headscope::experiments
