// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Code shared by several tables: the first k heads of a ranking removed, and k random ones. Worker thread.

#include "core/experiments/battery.h"

#include <string>
#include <vector>

namespace headscope::experiments {

struct Removals {
    std::vector<std::string> keys; ///< keys of the battery
    std::vector<int> counts;       ///< numbers of heads removed; the first row always removes none
    int randomDraws = 0;           ///< random controls of the same size
    std::vector<int> paperRows;    ///< for "none removed", then for each count; -1 or missing: none
    std::string chosen = "ranked"; ///< how the heads were chosen, as shown in the table
};

/// Returns "attention", "SSM" or "hybrid".
[[nodiscard]] std::string mixersOf(const lm::ModelSpec& spec);

/// Returns "model", "chosen", "removed", "heads", "mixers", then the battery.
[[nodiscard]] std::vector<Column> removalColumns(const std::vector<std::string>& keys);

/// Adds a row without removals, for the first k of the ranking and for each draw of k other live heads.
[[nodiscard]] Result<void> measureRemovals(Lab& lab, Bench& bench, const Ranked& ranked, const Removals& removals);

/// Describes per model the effect of the largest removal of ranked heads, and of the same number of random heads.
[[nodiscard]] std::string removalsFinding(const Table& table, const std::vector<std::string>& keys);

} // namespace headscope::experiments
