// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Benchmarks on an open model: made, measured, compared. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/engine/scoring/compare.h"
#include "core/engine/scoring/pairs/boundary.h"
#include "core/tasks/registry.h"

#include <memory>
#include <optional>
#include <vector>

namespace headscope::app {

/// The settings as tasks take them. `limit`: the first N rows of each leaf task, below 1 a fraction.
[[nodiscard]] tasks::TaskOptions taskOptions(const Settings& settings, std::optional<double> limit = {},
                                             std::optional<int> fewshot = {});

/// Encodes the examples for the model. Fails when no row can be scored, with the reason of the first.
[[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>>
makeBenchmark(const OpenModel& open, tasks::TaskSet set, engine::Boundary boundary = engine::Boundary::Harness);

/// All rows under a set. What `session` (null: none) knows is not run again, what is run is kept there.
[[nodiscard]] Result<engine::Rows> rowsUnder(OpenModel& open, sessions::SessionStore* session,
                                             const engine::Benchmark& benchmark,
                                             const interventions::InterventionSet& set, const Control& control);

/// Whether enough rows are in, for somebody who looks all the time: the sign of the difference is decided, or its
/// interval is narrow enough. Never where settings ask for all rows, or where the metric has no bounds.
[[nodiscard]] bool isEnough(const Settings& settings, const engine::Comparison& comparison);

} // namespace headscope::app
