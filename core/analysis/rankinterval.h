// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How sure a rank correlation is. Pure function; any thread.

#include "core/analysis/statistics.h"

#include <optional>

namespace headscope::analysis {

/// 95 % interval of Spearman's rank correlation by Fisher's transformation with the variance of Bonett and Wright 2000,
/// Psychometrika 65:23. Nothing of fewer than five pairs and of a correlation of 1 or -1.
[[nodiscard]] std::optional<Interval> rankInterval(const Correlation& correlation);

} // namespace headscope::analysis
