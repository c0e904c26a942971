// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Multiple-testing corrections for a ranking of many heads. Pure functions; any thread.

#include "core/engine/ranking/rank.h"

#include <vector>

namespace headscope::engine {

/// For each head of a measured ranking, in its order.
struct ManyHeads {
    std::vector<double> holm;           ///< p corrected for the chance of any false positive among all heads
    std::vector<double> falseDiscovery; ///< p corrected for the share of false positives (Benjamini-Hochberg)
    /// Heads with the same number do not differ significantly from the first of them: on the same rows, by the exact
    /// McNemar test, corrected for all pairs. -1: rows are not right or wrong, or the head was not measured on them.
    std::vector<int> group;
};

/// Applies the corrections. `ranked`: sorted by sortByLoss(). Heads with a fault are not tested: p = 1, group -1.
[[nodiscard]] ManyHeads testedTogether(const std::vector<RankedHead>& ranked, double level = 0.05);

} // namespace headscope::engine
