// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CPU threads of tensor operations, and the memory that these free.

#include "core/lm/spec.h"

namespace headscope::lm {

/// Sets the thread count for the calling thread and everything it starts from now on; fewer if OMP_THREAD_LIMIT says
/// so, and always exactly as many (no OMP_DYNAMIC): a loop that gets fewer threads than requested silently leaves parts
/// of the tensor library's bf16 products uninitialized.
void setThreads(int count);
[[nodiscard]] int threads();

/// Returns the threads of one operation: `requested`, or if that is 0 the library's default; one for a model so
/// small that threads would wait longer than they compute (under 8 million parameters; measured on the included
/// models).
[[nodiscard]] int threadsFor(const ModelSpec& spec, int requested);
/// Returns the number of batches of such a small model that run concurrently, one per thread; 1 for others.
[[nodiscard]] int batchesAtOnceFor(const ModelSpec& spec, int requested);
/// Returns the number of parts that batches of such a model are split into, whatever the thread count, so that results
/// do not depend on it; 1 for others.
[[nodiscard]] int batchPartsFor(const ModelSpec& spec);
void setThreadsFor(const ModelSpec& spec, int requested);
/// Threads of one of several processes that share the processors of this machine: the library's default divided by
/// their number, unless OMP_NUM_THREADS gives it. A process that may only use some of the processors, as Slurm has it,
/// has its share already.
[[nodiscard]] int threadsAmong(int processes);

/// Lets the process keep freed memory instead of returning it to the system after every large tensor: touching fresh
/// memory costs several times the computation in it. Blocks of 32 MB and more are still returned. Call once at program
/// start.
void reuseFreedMemory();
/// Returns all freed memory to the system; for use before a longer pause in computation.
void returnFreedMemory();

} // namespace headscope::lm
