// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What scores of two states on the same rows say, and which rows changed. Worker thread.

#include "app/backend/models.h"

namespace headscope::app {

/// A state with its model.
struct SideModel {
    std::shared_ptr<Opened> model;
    interventions::InterventionSet set;
};

[[nodiscard]] Result<SideModel> sideModel(Models& models, const ModelState& of);

/// A task on the models of two states.
struct PairedBenchmark {
    std::shared_ptr<const engine::Benchmark> now, reference;
};

/// Fails where the two models read different rows.
[[nodiscard]] Result<PairedBenchmark> pairedBenchmark(Models& models, const SideModel& now, const SideModel& reference,
                                                      const std::string& task);

/// The line of a task. `final`: all rows are in; before that the interval holds however often it is looked at.
[[nodiscard]] Result<BenchmarkScore> compared(const Settings& settings, const std::string& task,
                                              const engine::Benchmark& benchmark, const engine::Rows& reference,
                                              const engine::Rows& now, bool final);

/// The rows of a task that are right in one of the two states and wrong in the other. Runs all that are missing first.
[[nodiscard]] Result<std::vector<FlipRow>> flippedRows(Models& models, const ModelState& now,
                                                       const ModelState& reference, const std::string& task,
                                                       const Control& control);

} // namespace headscope::app
