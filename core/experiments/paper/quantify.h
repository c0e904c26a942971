// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether scores of a head's pattern predict the cost of its removal.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment quantify();

} // namespace headscope::experiments
