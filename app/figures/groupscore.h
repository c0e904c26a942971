// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A line of a score table. Private to app/figures; any thread.

#include "core/analysis/statistics.h"
#include "sessions/records.h"
#include "widgets/figures/figure.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::figures {

/// One line of a score table: a group of tasks in one state of one model.
struct GroupScore {
    sessions::ModelRecord model;
    std::string group; ///< "mmlu", or a task's own name
    std::string ablation;
    std::int64_t n = 0;
    std::int64_t correct = 0;
    analysis::PairedCounts paired; ///< compared with the baseline, on the examples that both have
    std::string dtype, device;
    bool commonPrefix = false;               ///< scored from the longest common prefix (engine::Boundary)
    std::vector<sessions::SeriesKey> series; ///< those that were added up

    [[nodiscard]] double value() const { return static_cast<double>(correct) / static_cast<double>(n); }
    [[nodiscard]] widgets::Estimate estimate() const;
};

} // namespace headscope::figures
