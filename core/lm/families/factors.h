// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Factors of a config that are divided by or that hold numbers in bounds: none of them is 0 or negative. Worker thread.

#include "core/lm/config.h"

namespace headscope::lm {

/// A multiplier, scaling or limit above 0; 0 and less are refused in one sentence.
[[nodiscard]] double readFactor(Config& config, const char* key, double fallback);

/// A soft cap above 0, or 0 for none: that is null; a missing key is the class's default.
[[nodiscard]] double readCap(Config& config, const char* key, double fallback);

} // namespace headscope::lm
