// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The builders of all families, one a file in this folder. Worker thread.

#include "core/lm/family.h"

namespace headscope::lm {

ModelParts buildLlama(Config& config, Weights& weights, int layerLimit);

} // namespace headscope::lm
