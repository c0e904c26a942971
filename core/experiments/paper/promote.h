// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head's output scaled instead of removed.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment promote();

} // namespace headscope::experiments
