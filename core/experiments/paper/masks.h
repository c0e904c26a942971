// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SSM and attention heads reduced to the entries of gathering and aggregating, sample by sample.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment masks();

} // namespace headscope::experiments
