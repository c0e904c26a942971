// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads in order of what their removal costs, on an open model and with its session. Main thread.

#include "app/cli/openmodel.h"
#include "app/cli/sharedrun.h"
#include "core/engine/ranking/race.h"
#include "core/engine/ranking/rank.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// What a race says about itself.
struct RaceReport {
    bool exact = false;          ///< it took every example
    int certain = 0;             ///< of the first `top`, those that are decided
    double errorProbability = 0; ///< that one of these is not of the exact set; 0 when exact
    double work = 0;             ///< share of the runs that an exact ranking needs
    int top = 0;
    std::size_t examples = 0;

    /// Whether the intervals decided the whole set.
    [[nodiscard]] bool decidedEarly() const { return !exact && certain == top; }
};

struct Ranking {
    std::string method;
    tasks::Score baseline;                 ///< the task's first number under the fixed set
    std::vector<engine::RankedHead> heads; ///< largest loss first
    double seconds = 0;
    std::optional<RaceReport> race;
    std::optional<double> agreement;      ///< of an estimate: with that of as many other examples
    std::optional<std::int64_t> forecast; ///< of an estimate with a limit of memory: bytes beside the weights

    /// Whether scores were measured, so that values are scores and deltas are known.
    [[nodiscard]] bool measured() const { return method == "exact" || method == "race"; }
};

/// The rows under a set. Examples that the session knows are not run again.
[[nodiscard]] Result<engine::Rows> rowsUnder(OpenModel& open, const engine::Benchmark& benchmark,
                                             const interventions::InterventionSet& set, const Control& control);

/// Removes one head after the other on top of `fixed`. Several processes share the heads; others than the first get an
/// empty ranking.
[[nodiscard]] Result<Ranking> rankByRemoval(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                            const interventions::InterventionSet& fixed,
                                            const std::vector<interventions::HeadRef>& heads,
                                            engine::Processes* processes = nullptr);

[[nodiscard]] Result<Ranking> rankByRace(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                         const interventions::InterventionSet& fixed,
                                         const std::vector<interventions::HeadRef>& heads,
                                         const engine::RaceOptions& options);

/// Keeps the ranking in the session, if there is one.
[[nodiscard]] Result<void> rememberRanking(OpenModel& open, const engine::Benchmark& benchmark,
                                           const interventions::InterventionSet& fixed, const Ranking& ranking);
/// The same for lists of other things than single heads: pairs, sets.
[[nodiscard]] Result<void> rememberList(OpenModel& open, const engine::Benchmark& benchmark,
                                        const interventions::InterventionSet& fixed, const std::string& method,
                                        const std::vector<sessions::RankedHead>& list);

} // namespace headscope::cli
