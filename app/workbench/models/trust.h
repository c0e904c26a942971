// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares a quantized model with its original on the same examples and heads. Lives on the thread that runs the
// models; they may be open one after the other.

#include "app/workbench/heads/headranking.h"
#include "app/workbench/scores/measure.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// The results of one form of a model on a task.
struct TaskMeasured {
    std::shared_ptr<const engine::Benchmark> benchmark;
    engine::Rows rows;
    std::vector<engine::RankedHead> heads; ///< by descending cost; empty: not requested
};

/// Scores a task without an ablation and, with a method, ranks all heads. Stores results in `session` (null:
/// nowhere).
[[nodiscard]] Result<TaskMeasured> measureTask(OpenModel& open, sessions::SessionStore* session,
                                               const Settings& settings, tasks::TaskSet set,
                                               std::optional<RankMethod> method, const Control& control);

/// The differences on one task, over the examples that both forms could score.
struct TrustedTask {
    std::string task;
    int examples = 0;
    int changed = 0;                        ///< answers that differ
    int lost = 0;                           ///< right only in the reference
    int gained = 0;                         ///< right only in the other form
    std::optional<double> reference, value; ///< first metric of the task in both
    std::string metric;
    std::int64_t continuations = 0; ///< number of log-likelihoods compared
    double meanDifference = 0;      ///< of these, nats; other form minus reference
    double meanAbsolute = 0, largest = 0;
    std::optional<analysis::Correlation> heads; ///< correlation of the head costs; nothing if not measured or constant
    std::optional<analysis::Interval> headsInterval;
    int shared = 0, first = 0; ///< of the first N heads in each order, those in both
};

/// Compares two forms. Fails if they were measured on different examples or heads.
[[nodiscard]] Result<TrustedTask> compareForms(const TaskMeasured& reference, const TaskMeasured& other);

} // namespace headscope::app
