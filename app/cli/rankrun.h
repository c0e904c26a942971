// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads in order of what their removal costs, on an open model and with its session. Main thread.

#include "app/cli/openmodel.h"
#include "core/engine/rank.h"

#include <string>
#include <vector>

namespace headscope::cli {

struct Ranking {
    std::string method;
    tasks::Score baseline; ///< the task's first number under the fixed set
    std::vector<engine::RankedHead> heads; ///< largest loss first
    double seconds = 0;
};

/// Removes one head after the other on top of `fixed`. Examples that the session knows are not run again.
[[nodiscard]] Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                            const interventions::InterventionSet& fixed, const std::vector<interventions::HeadRef>& heads);

/// Keeps the ranking in the session, if there is one.
[[nodiscard]] Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark, const interventions::InterventionSet& fixed,
                                           const Ranking& ranking);

} // namespace headscope::cli
