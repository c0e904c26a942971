// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bytes of keys, values and states against the length of the text.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment cacheMemory();

} // namespace headscope::experiments
