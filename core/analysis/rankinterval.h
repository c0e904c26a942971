// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Uncertainty of a rank correlation. Pure function; any thread.

#include "core/analysis/statistics.h"

#include <optional>

namespace headscope::analysis {

/// Returns the 95 % interval of Spearman's rank correlation by Fisher's transformation with the variance of Bonett and
/// Wright 2000, Psychometrika 65:23. Nothing for fewer than five pairs and for a correlation of 1 or -1.
[[nodiscard]] std::optional<Interval> rankInterval(const Correlation& correlation);

} // namespace headscope::analysis
