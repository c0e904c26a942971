// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The edges between heads, MLPs, embedding and logits that retrieval needs: found by path patching, then kept alone and
// removed alone.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment circuit();

} // namespace headscope::experiments
