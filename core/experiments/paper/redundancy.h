// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How many heads share the role: scores against the number of removed heads, SSM beside Transformer.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment redundancy();

} // namespace headscope::experiments
