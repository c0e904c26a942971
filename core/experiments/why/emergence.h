// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// When the heads that carry retrieval appear during training: checkpoints of one model, in the order of their steps.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment emergence();

} // namespace headscope::experiments
