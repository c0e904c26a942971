// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers and positions at which a retrieved value can be read from the stream, with the logit lens and a Jacobian
// lens that is fitted on the way, and what removing gather and aggregate heads does to it.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment jlensRetrieval();

} // namespace headscope::experiments
