// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bytes of keys, values and states by prompt length.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment cacheMemory();

} // namespace headscope::experiments
