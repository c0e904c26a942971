// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Times the rows of a guard's table against a matrix product of the same minutes. Worker thread.

#include "core/base/progress.h"
#include "core/engine/bench/calibration.h"
#include "core/engine/bench/guardtable.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace headscope::engine {

struct GuardOptions {
    std::string processor;
    int threads = 1;
    int rounds = 5; ///< over all rows, so that a spread holds what changes on the machine meanwhile
    /// The folder of a row's model; fails where it is not here, and the row is left out.
    std::function<Result<std::filesystem::path>(const std::string&)> folderOf;
    std::function<void(const std::string&)> say; ///< what is being done, a line
};

struct GuardFigure {
    GuardRow row;
    std::string leftOut;   ///< why; empty: it was timed
    Spread ratio, seconds; ///< of one cut
};

struct GuardRun {
    const Calibration::Product* product = nullptr; ///< of the calibration
    Spread productSeconds;                         ///< over the whole run
    std::vector<GuardFigure> figures;
};

/// The ratio of a round: in the mean over its cuts, the seconds of a cut over those of the products just before and
/// just after it. `products` has one value more than `cuts`.
[[nodiscard]] double ratioOf(const std::vector<double>& cuts, const std::vector<double>& products);

/// The rows, and "our product" over libtorch's. Fails where a row cannot be run though its model is here, and when
/// stopped.
[[nodiscard]] Result<GuardRun> runGuard(const std::vector<GuardRow>& rows, const Calibration& calibration,
                                        const Calibration::Product& product, const GuardOptions& options,
                                        const Control& control);

/// The line of format headscope-bench-guard-result/1. `then`: null where the table has no entry.
[[nodiscard]] nlohmann::json toJson(const GuardRun& run, const Calibration& calibration, const GuardOptions& options,
                                    const GuardEntry* then);

/// What is kept of it.
[[nodiscard]] GuardEntry entryOf(const GuardRun& run, const GuardOptions& options);

} // namespace headscope::engine
