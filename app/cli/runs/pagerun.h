// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures what a web page of a model shows and its session does not know yet: maps of all heads, what removing each
// costs on the model's benchmarks, what it answers then. Main thread.

#include "app/cli/runs/scoringmodel.h"

#include <string>
#include <vector>

namespace headscope::cli {

struct PageMeasurement {
    int samples = 3;                    ///< of the first benchmark about dictionaries, those that have maps
    std::vector<std::string> sources;   ///< samples that have maps besides: "toy_kv:pairs=8, sample 5"
    std::vector<std::string> ablations; ///< states that are scored besides single heads
    std::vector<std::string> tasks;     ///< empty: those of the window's scoreboard
    TaskArguments rows;
};

/// Into the session file, which is made where there is none. Returns the model's hash. Known results are not run again;
/// when stopped, what was finished is kept.
[[nodiscard]] Result<std::string> measureForPage(const Context& context, const ModelArguments& model,
                                                 const std::string& session, const PageMeasurement& wanted);

} // namespace headscope::cli
