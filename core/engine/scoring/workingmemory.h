// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory that a run will need, measured by running a small part of it. Worker thread.

#include "core/engine/scoring/scorer.h"

namespace headscope::engine {

/// Peak bytes of batches that run side by side, beside the weights and activations stored between passes, measured:
/// they run through the first layers of each kind in the model by the same code as the run itself. On the CPU;
/// elsewhere, and for generated text, the upper bound of lm::forecast(). Masked patterns and resampled heads need
/// more.
struct WorkingMemory {
    std::int64_t clean = 0;   ///< unmodified model
    std::int64_t changed = 0; ///< with one head ablated in each layer
};

/// Returns the bytes of one turn of the workload in a run that stores nothing: no run needs more.
[[nodiscard]] std::int64_t workingBytes(const lm::Model& model, const Workload& workload, const Workload::Turn& turn,
                                        LogSoftmax logSoftmax);
/// Returns the bytes of a run of the layers from `first` on that stores activations of every layer to restart from.
[[nodiscard]] WorkingMemory workingWhenKept(const lm::Model& model, const Workload& workload,
                                            const Workload::Turn& turn, LogSoftmax logSoftmax, int first);

} // namespace headscope::engine
