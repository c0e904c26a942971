// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layer at which an answer appears in the logit lens, and the effect of removing gather and aggregate heads.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment lensRetrieval();

} // namespace headscope::experiments
