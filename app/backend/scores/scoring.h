// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares the scores of two states on the same rows, and lists the rows that changed. Worker thread.

#include "app/backend/models.h"

namespace headscope::app {

/// A state with its model.
struct SideModel {
    std::shared_ptr<Opened> model;
    interventions::InterventionSet set;
};

[[nodiscard]] Result<SideModel> sideModel(Models& models, const ModelState& of);

/// A task prepared for the models of two states.
struct PairedBenchmark {
    std::shared_ptr<const engine::Benchmark> now, reference;
};

/// Prepares a task for both models. Fails if they read different rows.
[[nodiscard]] Result<PairedBenchmark> pairedBenchmark(Models& models, const SideModel& now, const SideModel& reference,
                                                      const std::string& task);

/// Returns the line of a task. `final`: all rows are scored; until then its interval allows repeated looks.
[[nodiscard]] Result<BenchmarkScore> compared(const Settings& settings, const std::string& task,
                                              const engine::Benchmark& benchmark, const engine::Rows& reference,
                                              const engine::Rows& now, bool final);

/// Returns the rows that are right in one of two states and wrong in the other, after scoring all missing ones.
[[nodiscard]] Result<std::vector<FlipRow>> flippedRows(Models& models, const ModelState& now,
                                                       const ModelState& reference, const std::string& task,
                                                       const Control& control);

} // namespace headscope::app
