// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headscope-cli rank --method pairs|greedy|random: removes heads together. Main thread.

#include "app/cli/runs/memoryreport.h"
#include "app/cli/runs/rankrun.h"

namespace headscope::cli {

struct SetArguments {
    std::string method;
    int top = 0;        ///< pairs: number of heads; greedy: size of the set; random: heads per draw; 0: 6, 3, 3
    int draws = 20;     ///< random
    bool named = false; ///< the heads were named, so that pairs are formed of all
};

[[nodiscard]] bool isSetMethod(const std::string& method);

/// Returns the states that the method measures, if they are known before it starts; otherwise none.
[[nodiscard]] std::vector<interventions::InterventionSet> setStates(const Context& context,
                                                                    const interventions::InterventionSet& fixed,
                                                                    const std::vector<interventions::HeadRef>& heads,
                                                                    const SetArguments& arguments);

/// Measures, stores and prints the results.
[[nodiscard]] Result<void> rankSets(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                    const interventions::InterventionSet& fixed,
                                    const std::vector<interventions::HeadRef>& heads, const SetArguments& arguments,
                                    const MemoryReport& memory);

} // namespace headscope::cli
