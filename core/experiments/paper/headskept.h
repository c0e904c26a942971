// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Only the gather and the aggregate head kept in the last two layers of the minimal model.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment headsKept();

} // namespace headscope::experiments
