// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A mean and how sure it is. Pure functions; any thread.

#include "core/analysis/statistics.h"

#include <optional>

namespace headscope::analysis {

struct Mean {
    double value = 0;
    std::optional<Interval> interval{}; ///< 95 %, Student's t; nothing without spread
};

/// Of no values 0.
[[nodiscard]] Mean meanOf(std::span<const double> values);

} // namespace headscope::analysis
