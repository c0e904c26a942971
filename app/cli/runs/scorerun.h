// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores tasks on an open model, alone or compared with the baseline, and reports the results. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/cli/runs/sharedrun.h"
#include "core/engine/scoring/compare.h"
#include "core/engine/scoring/pairs/boundary.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

/// One metric of a task: current score and, with an ablation, comparison with the baseline.
struct ComparedScore {
    tasks::Score score;
    engine::MergedRows merged; ///< of its rows
    std::optional<engine::Comparison> against;
};

/// A task under an ablation set. `baseline` is filled only if the set is not empty and the whole model is loaded.
struct ScoredTask {
    std::shared_ptr<const engine::Benchmark> benchmark;
    engine::Boundary boundary = engine::Boundary::Harness;
    bool compared = false; ///< with the baseline
    bool stopped = false;  ///< rows are left out, after a decided or precise enough result
    engine::Rows baseline;
    engine::Rows now;
    std::vector<tasks::Score> baselineScores;
    std::vector<ComparedScore> lines;
    std::int64_t tokens = 0; ///< processed by the model, without examples known before
    int reused = 0;          ///< results from the session
    std::vector<std::string> notes;
};

/// Expands "toy_kv:pairs=4,8" to two tasks: a bare number after a comma repeats the name before it with that setting.
[[nodiscard]] std::vector<std::string> expandTasks(const std::vector<std::string>& names);

/// Makes the examples and encodes them. Prints rejected rows on stderr. Fails if no row can be scored, with the reason
/// for the first.
[[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>>
makeBenchmark(const Context& context, const OpenModel& open, const std::string& task, const tasks::TaskOptions& options,
              bool chat = false, engine::Boundary boundary = engine::Boundary::Harness);

/// Returns the states to measure for each task: the baseline if a whole model is ablated, and the set.
[[nodiscard]] std::vector<interventions::InterventionSet> statesOf(const OpenModel& open,
                                                                   const interventions::InterventionSet& set);

/// Runs the rows that the session lacks: first those of the baseline if a whole model is ablated, then those of the
/// set. After a stop, `scored` contains the finished rows. Processes with the same session share the rows.
[[nodiscard]] Result<void> scoreTask(const Context& context, OpenModel& open, const interventions::InterventionSet& set,
                                     ScoredTask& scored);

/// Adds the state to the session's list of runs, or these tasks to an existing entry.
[[nodiscard]] Result<void> rememberRun(OpenModel& open, const interventions::InterventionSet& set,
                                       const std::vector<ScoredTask>& scored);

[[nodiscard]] nlohmann::json toJson(const tasks::Score& score);
[[nodiscard]] nlohmann::json toJson(const ComparedScore& line);
/// Returns the scoreboard as text, one line per metric.
[[nodiscard]] std::string scoreTable(const std::vector<ScoredTask>& scored);
/// Returns one example as a JSON line: harness sample members and ours, with the earlier result in `baseline`.
[[nodiscard]] std::string sampleLine(const ScoredTask& scored, std::size_t example);

} // namespace headscope::cli
