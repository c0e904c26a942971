// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Perplexity by the number of heads that stay attention.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment perplexity();

} // namespace headscope::experiments
