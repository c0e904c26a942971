// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Do scores of a head's pattern predict what its removal costs?

#include "core/experiments/experiment.h"

namespace headscope::experiments {

[[nodiscard]] Experiment quantify();

} // namespace headscope::experiments
