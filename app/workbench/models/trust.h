// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a quantized model agrees with the model itself: the same examples and the same heads in both, and what
// differs. Lives on the thread that runs the models; they may be open one after the other.

#include "app/workbench/heads/headranking.h"
#include "app/workbench/scores/measure.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// One task on a model in one form.
struct TaskMeasured {
    std::shared_ptr<const engine::Benchmark> benchmark;
    engine::Rows rows;
    std::vector<engine::RankedHead> heads; ///< the costliest first; empty: not asked for
};

/// Scores a task without an ablation and, with a method, ranks all heads. `session` (null: none) keeps what is
/// measured.
[[nodiscard]] Result<TaskMeasured> measureTask(OpenModel& open, sessions::SessionStore* session,
                                               const Settings& settings, tasks::TaskSet set,
                                               std::optional<RankMethod> method, const Control& control);

/// What differs on one task, over the examples that both forms could score.
struct TrustedTask {
    std::string task;
    int examples = 0;
    int changed = 0;                        ///< answered otherwise
    int lost = 0;                           ///< right in the reference alone
    int gained = 0;                         ///< right in the other form alone
    std::optional<double> reference, value; ///< the task's first number in both
    std::string metric;
    std::int64_t continuations = 0; ///< whose log-likelihoods were compared
    double meanDifference = 0;      ///< of them, nats; other form minus reference
    double meanAbsolute = 0, largest = 0;
    std::optional<analysis::Correlation>
        heads; ///< of what heads cost; nothing where it was not measured or is constant
    std::optional<analysis::Interval> headsInterval;
    int shared = 0, first = 0; ///< of the first N heads of both orders, those in both
};

/// Fails where the two are not of the same examples or heads.
[[nodiscard]] Result<TrustedTask> compareForms(const TaskMeasured& reference, const TaskMeasured& other);

} // namespace headscope::app
