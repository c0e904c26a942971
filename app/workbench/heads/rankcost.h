// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What rankings would take. Plain values; any thread.

#include "app/workbench/heads/rankmethod.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope::app {

/// What one method would take.
struct RankCost {
    RankMethod method = RankMethod::Exact;
    double seconds = 0;
    bool atMost = false;    ///< it ends earlier where fewer examples decide
    std::int64_t bytes = 0; ///< weights, what is kept between passes, and the largest batch
};

/// Where nothing is known yet.
struct RankForecast {
    std::vector<RankCost> costs; ///< Exact, Race, and Estimate where the task can be estimated
    std::size_t heads = 0;
    std::size_t examples = 0;
};

} // namespace headscope::app
