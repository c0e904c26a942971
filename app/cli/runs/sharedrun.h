// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work that several processes share (torchrun): each runs chunks as it is free and stores what it ran, the first one
// gets them all. Main thread.

#include "app/cli/runs/openmodel.h"
#include "core/engine/processes/processes.h"
#include "core/engine/scoring/portion.h"

#include <functional>
#include <memory>
#include <vector>

namespace headscope::cli {

/// The processes of this start, and `context` made fit for this one of them: the others than the first are quiet, and
/// on a machine with several GPUs each takes its own.
[[nodiscard]] Result<std::unique_ptr<engine::Processes>> joinProcesses(Context& context);

/// The portions of the examples that evaluateShared() cuts this into: what is kept of the clean run is one portion's.
[[nodiscard]] std::vector<engine::Portion> sharedPortions(const engine::Benchmark& benchmark,
                                                          const std::vector<interventions::InterventionSet>& sets,
                                                          int processes);

/// Gets the rows of all examples under one of the sets.
using TakeRows = std::function<Result<void>(std::size_t set, engine::Rows rows)>;

/// The benchmark under each of the sets, shared among processes: the next free process takes a portion of the examples
/// and runs the sets on it one after the other, so that it keeps the clean run of that portion alone and measures it
/// once. The same rows as of one process come out, to the bit. In the first process `take` gets those of one set after
/// the other, and how many chunks each process ran comes back; in the others nothing.
[[nodiscard]] Result<std::vector<int>> evaluateShared(engine::Processes& processes, OpenModel& open,
                                                      const engine::Benchmark& benchmark,
                                                      const std::vector<interventions::InterventionSet>& sets,
                                                      const TakeRows& take, const Control& control);

} // namespace headscope::cli
