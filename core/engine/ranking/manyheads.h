// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a ranking may say of many heads that were tested together. Pure functions; any thread.

#include "core/engine/ranking/rank.h"

#include <vector>

namespace headscope::engine {

/// Of each head of a measured ranking, in its order.
struct ManyHeads {
    std::vector<double> holm;           ///< p corrected for the chance of any false alarm among all heads
    std::vector<double> falseDiscovery; ///< p corrected for the share of false alarms (Benjamini-Hochberg)
    /// Heads with the same number cannot be told apart from the first of them: on the same rows, by the exact McNemar
    /// test, corrected for all pairs of heads. -1: rows are not right or wrong, or the head was not measured on them.
    std::vector<int> group;
};

/// `ranked`: largest loss first, as sortByLoss() has it. Heads with a fault count as no test: p = 1, group -1.
[[nodiscard]] ManyHeads testedTogether(const std::vector<RankedHead>& ranked, double level = 0.05);

} // namespace headscope::engine
