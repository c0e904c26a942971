// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run will take of memory, found out by running a little of it. Worker thread.

#include "core/engine/scoring/scorer.h"

namespace headscope::engine {

/// What batches that run side by side take at one time beside the weights and what is kept between passes, in bytes,
/// measured: they run through the first layers of each kind that the model has by the same code as the run itself. On
/// the processor; elsewhere, and for texts that are written on, the upper bound of lm::forecast(). Masked patterns and
/// resampled heads take more.
struct WorkingMemory {
    std::int64_t clean = 0;   ///< as the model is
    std::int64_t changed = 0; ///< with a head off in each layer
};

/// Of a run that keeps nothing, of one turn of the workload: nothing takes more.
[[nodiscard]] std::int64_t workingBytes(const lm::Model& model, const Workload& workload, const Workload::Turn& turn,
                                        LogSoftmax logSoftmax);
/// Of a run of the layers from `first` on that keeps something of every layer, and restarts from it.
[[nodiscard]] WorkingMemory workingWhenKept(const lm::Model& model, const Workload& workload,
                                            const Workload::Turn& turn, LogSoftmax logSoftmax, int first);

} // namespace headscope::engine
