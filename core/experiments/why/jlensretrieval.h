// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers and positions at which a retrieved value is readable from the stream, with the logit lens and a Jacobian
// lens fitted during the experiment, and the effect of removing gather and aggregate heads.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment jlensRetrieval();

} // namespace headscope::experiments
