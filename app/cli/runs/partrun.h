// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// --part K/N: one part of a command's work, measured into a session of its own. Main thread.

#include "app/cli/runs/openmodel.h"
#include "app/workbench/sharedwork.h"

#include <string>
#include <vector>

namespace headscope::cli {

/// The part that --part names; nothing where it is empty. Fails where it makes no sense, and without a session.
[[nodiscard]] Result<std::optional<app::WorkPart>> partOf(const Context& context, const std::string& text);

/// A benchmark and the states of the model that are measured on it.
struct StatesOfBenchmark {
    std::shared_ptr<const engine::Benchmark> benchmark;
    std::vector<interventions::InterventionSet> states;
};

/// Measures the part of each, records it in the session and prints what was done.
[[nodiscard]] Result<void> measurePart(const Context& context, OpenModel& open, const app::WorkPart& part,
                                       const std::vector<StatesOfBenchmark>& works);

} // namespace headscope::cli
