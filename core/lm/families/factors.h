// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Config factors that are divisors or bounds: none of them may be 0 or negative. Worker thread.

#include "core/lm/config.h"

namespace headscope::lm {

/// Reads a multiplier, scaling or limit above 0; rejects 0 and less with one sentence.
[[nodiscard]] double readFactor(Config& config, const char* key, double fallback);

/// Reads a soft cap above 0, or 0 for none, which the file writes as null; a missing key gives the class's default.
[[nodiscard]] double readCap(Config& config, const char* key, double fallback);

} // namespace headscope::lm
