// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What several tables share: the first k heads of a ranking removed, and k random ones. Worker thread.

#include "core/experiments/battery.h"

#include <string>
#include <vector>

namespace headscope::experiments {

struct Removals {
    std::vector<std::string> keys; ///< of the battery
    std::vector<int> counts;       ///< heads removed; none removed is always the first row
    int randomDraws = 0;           ///< controls of the same size
    std::vector<int> paperRows;    ///< of "none removed", then of each count; -1 or missing: none
    std::string chosen = "ranked"; ///< how the heads were chosen, as the table says it
};

/// "attention", "SSM" or "hybrid".
[[nodiscard]] std::string mixersOf(const lm::ModelSpec& spec);

/// "model", "chosen", "removed", "heads", "mixers", then the battery.
[[nodiscard]] std::vector<Column> removalColumns(const std::vector<std::string>& keys);

/// Adds a row for nothing, for the first k of the ranking and for each draw of k other live heads.
[[nodiscard]] Result<void> measureRemovals(Lab& lab, Bench& bench, const Ranked& ranked, const Removals& removals);

/// Per model: what the largest removal of ranked heads did, and what the same number of random heads did.
[[nodiscard]] std::string removalsFinding(const Table& table, const std::vector<std::string>& keys);

} // namespace headscope::experiments
