// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Creates, measures and compares benchmarks on an open model. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/engine/scoring/compare.h"
#include "core/engine/scoring/pairs/boundary.h"
#include "core/tasks/registry.h"

#include <memory>
#include <optional>

namespace headscope::app {

/// Converts the settings to task options. `limit`: the first N rows of each leaf task, below 1 a fraction.
[[nodiscard]] tasks::TaskOptions taskOptions(const Settings& settings, std::optional<double> limit = {},
                                             std::optional<int> fewshot = {});

/// Encodes the examples for the model. Fails if no row can be scored, with the reason for the first.
[[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>>
makeBenchmark(const OpenModel& open, tasks::TaskSet set, engine::Boundary boundary = engine::Boundary::Harness);

/// Returns all rows under a set. Rows in `session` (null: none) are not run again, new rows are stored there.
[[nodiscard]] Result<engine::Rows> rowsWithInterventions(OpenModel& open, sessions::SessionStore* session,
                                                         const engine::Benchmark& benchmark,
                                                         const interventions::InterventionSet& set,
                                                         const Control& control);

/// Returns whether enough rows are scored, valid under continuous monitoring: the sign of the difference is decided, or
/// its interval is narrow enough. Always false if the settings require all rows, or if the metric is unbounded.
[[nodiscard]] bool isEnough(const Settings& settings, const engine::Comparison& comparison);

} // namespace headscope::app
