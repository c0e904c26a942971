// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The edges between heads, MLPs, embedding and logits that a retrieval needs: found by path patching, kept alone, left
// out alone.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment circuit();

} // namespace headscope::experiments
