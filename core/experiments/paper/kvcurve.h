// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// KV retrieval by dictionary size, with the gather and the aggregate head removed.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment kvCurve();

} // namespace headscope::experiments
