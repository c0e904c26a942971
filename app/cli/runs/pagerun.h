// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures the results that a model's web page shows and its session lacks: maps of all heads, the cost of removing
// each on the model's benchmarks, and its answers without it. Main thread.

#include "app/cli/runs/scoringmodel.h"

#include <string>
#include <vector>

namespace headscope::cli {

struct PageMeasurement {
    int samples = 3;                    ///< number of samples with maps, of the first key-value benchmark
    std::vector<std::string> sources;   ///< further samples with maps: "toy_kv:pairs=8, sample 5"
    std::vector<std::string> ablations; ///< states to score besides single heads
    std::vector<std::string> tasks;     ///< empty: those of the window's scoreboard
    TaskArguments rows;
};

/// Measures into the session file, which is created if missing. Returns the model's hash. Stored results are not run
/// again; after a stop, finished ones are kept.
[[nodiscard]] Result<std::string> measureForPage(const Context& context, const ModelArguments& model,
                                                 const std::string& session, const PageMeasurement& wanted);

} // namespace headscope::cli
