// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Times the rows of a guard table against a matrix product measured in the same minutes. Worker thread.

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
    int rounds = 5; ///< rounds over all rows, so that the spread includes changes on the machine
    /// Returns the folder of a row's model; fails if it is not installed, and the row is then skipped.
    std::function<Result<std::filesystem::path>(const std::string&)> folderOf;
    std::function<void(const std::string&)> notify; ///< called with a line about the current step
};

struct GuardFigure {
    GuardRow row;
    std::string leftOut;   ///< why the row was skipped; empty: it was timed
    Spread ratio, seconds; ///< per ablation
};

struct GuardRun {
    const Calibration::Product* product = nullptr; ///< product used for calibration
    Spread productSeconds;                         ///< over the whole run
    std::vector<GuardFigure> figures;
};

/// Returns the ratio of a round: the mean over its ablations of the seconds of one over those of the products just
/// before and after it. `products` has one value more than `cuts`.
[[nodiscard]] double ratioOf(const std::vector<double>& cuts, const std::vector<double>& products);

/// Times the rows, and "our product" relative to libtorch's. Fails if a row cannot be run although its model is
/// installed, and when stopped.
[[nodiscard]] Result<GuardRun> runGuard(const std::vector<GuardRow>& rows, const Calibration& calibration,
                                        const Calibration::Product& product, const GuardOptions& options,
                                        const Control& control);

/// Returns a result of format headscope-bench-guard-result/1. `then`: null if the table has no entry.
[[nodiscard]] nlohmann::json toJson(const GuardRun& run, const Calibration& calibration, const GuardOptions& options,
                                    const GuardEntry* then);

/// Returns the entry to store.
[[nodiscard]] GuardEntry entryOf(const GuardRun& run, const GuardOptions& options);

} // namespace headscope::engine
