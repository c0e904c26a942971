// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli rank --method pairs|greedy|random: heads removed together. Main thread.

#include "app/cli/runs/memoryreport.h"
#include "app/cli/runs/rankrun.h"

namespace headscope::cli {

struct SetArguments {
    std::string method;
    int top = 0;        ///< pairs: of how many heads; greedy: size of the set; random: heads a draw; 0: 6, 3, 3
    int draws = 20;     ///< random
    bool named = false; ///< the heads were named, so pairs are of all of them
    const MemoryReport* memory = nullptr; ///< that is reported too
};

[[nodiscard]] bool isSetMethod(const std::string& method);

/// Measures, stores and prints.
[[nodiscard]] Result<void> rankSets(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                    const interventions::InterventionSet& fixed,
                                    const std::vector<interventions::HeadRef>& heads, const SetArguments& arguments);

} // namespace headscope::cli
