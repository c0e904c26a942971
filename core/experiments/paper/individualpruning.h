// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One layer of the minimal model removed, measured, reinserted: which layers multiple choice needs.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment individualPruning();

} // namespace headscope::experiments
