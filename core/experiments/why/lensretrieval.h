// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layer at which an answer appears, with the logit lens, and what removing gather and aggregate heads does to it.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment lensRetrieval();

} // namespace headscope::experiments
