// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The expected cost of rankings. Plain values; any thread.

#include "app/workbench/heads/rankmethod.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope::app {

/// The expected cost of one method.
struct RankCost {
    RankMethod method = RankMethod::Exact;
    double seconds = 0;
    bool atMost = false;    ///< an upper bound: it ends earlier if fewer examples decide
    std::int64_t bytes = 0; ///< weights, data kept between passes, and the largest batch
};

/// The costs if no result is known yet.
struct RankForecast {
    std::vector<RankCost> costs; ///< Exact, Race, and Estimate if the task can be estimated
    std::size_t heads = 0;
    std::size_t examples = 0;
};

} // namespace headscope::app
