// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work that several processes share (torchrun): each runs its part and stores it, the first one gets all parts and runs
// what a lost process owes. Main thread.

#include "app/cli/runs/openmodel.h"
#include "core/engine/processes/processes.h"

#include <memory>

namespace headscope::cli {

/// The processes of this start, and `context` made fit for this one of them: the others than the first are quiet, and
/// on a machine with several GPUs each takes its own.
[[nodiscard]] Result<std::unique_ptr<engine::Processes>> joinProcesses(Context& context);

/// app::evaluate with the examples split batch by batch. In the first process `rows` is whole afterwards, in the others
/// it holds their own part. Null: one process.
[[nodiscard]] Result<void> evaluateShared(engine::Processes* processes, OpenModel& open,
                                          const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                                          engine::Rows& rows, const Control& control);

} // namespace headscope::cli
