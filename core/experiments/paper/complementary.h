// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads removed in pairs: additive, redundant or synergistic.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment complementary();

} // namespace headscope::experiments
