// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads in order of what their removal costs, on an open model and with its session. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/heads/headranking.h"
#include "app/workbench/scores/sharing.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

struct Ranking {
    std::string method;
    std::string how = "{}";                ///< what the method was given that decides its numbers, JSON
    tasks::Score baseline;                 ///< the task's first number under the fixed set
    std::vector<engine::RankedHead> heads; ///< largest loss first
    double seconds = 0;
    std::optional<app::RaceReport> race;
    std::optional<double> uniform;        ///< of a pattern score: what a head that reads all tokens alike has
    std::optional<double> agreement;      ///< of an estimate: with that of as many other examples
    std::optional<std::int64_t> forecast; ///< of an estimate with a limit of memory: bytes beside the weights

    /// Whether scores were measured, so that values are scores and deltas are known.
    [[nodiscard]] bool measured() const { return method == "exact" || method == "race"; }
};

/// Measures a part of an estimate and prints what was done.
[[nodiscard]] Result<void> estimatePart(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                        app::RankOptions options, const app::WorkPart& part);

/// All steps of a ranking. Processes with the same session share an estimate and each round of a race.
[[nodiscard]] Result<Ranking> rankHeads(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                        app::RankOptions options);

/// Removes one head after the other on top of `fixed`. Processes with the same session share the work (sharedrun.h).
[[nodiscard]] Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                            const interventions::InterventionSet& fixed,
                                            const std::vector<interventions::HeadRef>& heads);

/// Keeps the ranking in the session, if there is one.
[[nodiscard]] Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark,
                                           const interventions::InterventionSet& fixed, const Ranking& ranking);
/// The same for lists of other things than single heads: pairs, sets.
[[nodiscard]] Result<void> rememberList(OpenModel& open, const engine::Benchmark& benchmark,
                                        const interventions::InterventionSet& fixed, const std::string& method,
                                        const std::string& how, const std::vector<sessions::RankedHead>& list);

} // namespace headscope::cli
