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
};

[[nodiscard]] bool isSetMethod(const std::string& method);

/// The states that the method measures, where they are known before it begins; else none.
[[nodiscard]] std::vector<interventions::InterventionSet> setStates(const Context& context,
                                                                    const interventions::InterventionSet& fixed,
                                                                    const std::vector<interventions::HeadRef>& heads,
                                                                    const SetArguments& arguments);

/// Measures, stores and prints.
[[nodiscard]] Result<void> rankSets(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                    const interventions::InterventionSet& fixed,
                                    const std::vector<interventions::HeadRef>& heads, const SetArguments& arguments,
                                    const MemoryReport& memory);

} // namespace headscope::cli
