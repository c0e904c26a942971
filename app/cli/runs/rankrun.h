// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ranks heads by the cost of their removal, on an open model and with its session. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/heads/headranking.h"
#include "app/workbench/scores/sharing.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

struct Ranking {
    std::string method;
    std::string how = "{}";                ///< parameters of the method that determine its results, JSON
    tasks::Score baseline;                 ///< first metric of the task under the fixed set
    std::vector<engine::RankedHead> heads; ///< by descending loss
    double seconds = 0;
    std::optional<app::RaceReport> race;
    std::optional<double> uniform;        ///< for a pattern score: the score of a head that attends uniformly
    std::optional<double> agreement;      ///< of an estimate: rank correlation with as many other examples
    std::optional<std::int64_t> forecast; ///< of an estimate with a memory limit: bytes in addition to the weights

    /// Returns whether scores were measured, so that values are scores and deltas are known.
    [[nodiscard]] bool measured() const { return method == "exact" || method == "race"; }
};

/// Measures a part of an estimate and prints a summary.
[[nodiscard]] Result<void> estimatePart(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                        app::RankOptions options, const app::WorkPart& part);

/// Runs all steps of a ranking. Processes with the same session share an estimate and each round of a race.
[[nodiscard]] Result<Ranking> rankHeads(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                        app::RankOptions options);

/// Removes one head after the other on top of `fixed`. Processes with the same session share the work (sharedrun.h).
[[nodiscard]] Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                            const interventions::InterventionSet& fixed,
                                            const std::vector<interventions::HeadRef>& heads);

/// Stores the ranking in the session, if there is one.
[[nodiscard]] Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark,
                                           const interventions::InterventionSet& fixed, const Ranking& ranking);
/// The same for lists of pairs or sets of heads.
[[nodiscard]] Result<void> rememberList(OpenModel& open, const engine::Benchmark& benchmark,
                                        const interventions::InterventionSet& fixed, const std::string& method,
                                        const std::string& how, const std::vector<sessions::RankedHead>& list);

} // namespace headscope::cli
