// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tasks scored on an open model, alone or against the baseline, and how that is reported. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/cli/runs/sharedrun.h"
#include "core/engine/scoring/compare.h"
#include "core/engine/scoring/pairs/boundary.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

/// One number of a task: now, and against the baseline when something is ablated.
struct ComparedScore {
    tasks::Score score;
    engine::MergedRows merged; ///< of its rows
    std::optional<engine::Comparison> against;
};

/// A task under an ablation set. `baseline` is filled only when the set is not empty and the whole model is loaded.
struct ScoredTask {
    std::shared_ptr<const engine::Benchmark> benchmark;
    engine::Boundary boundary = engine::Boundary::Harness;
    bool compared = false; ///< with the baseline
    bool stopped = false;  ///< rows are left out: it was decided, or its interval narrow
    engine::Rows baseline;
    engine::Rows now;
    std::vector<tasks::Score> baselineScores;
    std::vector<ComparedScore> lines;
    std::int64_t tokens = 0; ///< that went through the model, without those of examples known before
    int reused = 0;          ///< results taken from the session
    std::vector<std::string> notes;
};

/// "toy_kv:pairs=4,8" is two tasks: a bare number after a comma repeats the name before it with that setting.
[[nodiscard]] std::vector<std::string> expandTasks(const std::vector<std::string>& names);

/// Makes the examples and encodes them. Says on stderr which rows were rejected. Fails when no row can be scored, with
/// the reason of the first.
[[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>>
makeBenchmark(const Context& context, const OpenModel& open, const std::string& task, const tasks::TaskOptions& options,
              bool chat = false, engine::Boundary boundary = engine::Boundary::Harness);

/// What is measured of each task: the baseline where something of a whole model is ablated, and the set.
[[nodiscard]] std::vector<interventions::InterventionSet> statesOf(const OpenModel& open,
                                                                   const interventions::InterventionSet& set);

/// Runs what the session does not have: the baseline first when something of a whole model is ablated, then the set
/// itself. When stopped, `scored` holds the rows that were finished. Processes with the same session share the rows.
[[nodiscard]] Result<void> scoreTask(const Context& context, OpenModel& open, const interventions::InterventionSet& set,
                                     ScoredTask& scored);

/// Adds the state to the session's list of runs, or these tasks to it where it is listed already.
[[nodiscard]] Result<void> rememberRun(OpenModel& open, const interventions::InterventionSet& set,
                                       const std::vector<ScoredTask>& scored);

[[nodiscard]] nlohmann::json toJson(const tasks::Score& score);
[[nodiscard]] nlohmann::json toJson(const ComparedScore& line);
/// The score board as text, one line a number.
[[nodiscard]] std::string scoreTable(const std::vector<ScoredTask>& scored);
/// One example as a line of JSON: the members of a harness samples file and ours, under `baseline` what it was before.
[[nodiscard]] std::string sampleLine(const ScoredTask& scored, std::size_t example);

} // namespace headscope::cli
