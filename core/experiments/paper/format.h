// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The same questions in two forms, under the same removals.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment format();

} // namespace headscope::experiments
