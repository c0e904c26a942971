// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A mean and its uncertainty. Pure functions; any thread.

#include "core/analysis/statistics.h"

#include <optional>

namespace headscope::analysis {

struct Mean {
    double value = 0;
    std::optional<Interval> interval{}; ///< 95 %, Student's t; nothing without spread
};

/// Returns the mean; 0 without values.
[[nodiscard]] Mean meanOf(std::span<const double> values);

} // namespace headscope::analysis
