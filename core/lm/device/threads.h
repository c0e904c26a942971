// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Processor threads of tensor work.

#include "core/lm/spec.h"

namespace headscope::lm {

/// For the calling thread and everything it starts from now on; fewer where OMP_THREAD_LIMIT says so, and always as
/// many (no OMP_DYNAMIC): a loop that gets fewer threads than it was given leaves parts of the tensor library's bf16
/// products as they lay in memory, without a word.
void setThreads(int count);
[[nodiscard]] int threads();

/// Threads of one operation: `requested`, or when that is 0 the library's default; one for a model so small that
/// threads would wait for each other longer than they compute (under 8 million parameters; measured on the shipped
/// models).
[[nodiscard]] int threadsFor(const ModelSpec& spec, int requested);
/// Batches of such a small model that run at the same time, each on a thread; 1 for others.
[[nodiscard]] int batchesAtOnceFor(const ModelSpec& spec, int requested);
/// Into how many parts batches of such a model are cut, on however many threads, so that no number depends on these; 1
/// for others.
[[nodiscard]] int batchPartsFor(const ModelSpec& spec);
void setThreadsFor(const ModelSpec& spec, int requested);

/// Lets the process keep freed memory instead of giving it back to the system after every large tensor: memory that is
/// fresh from the system costs several times what is computed in it. Blocks of 32 MB and more still go back. Once, at
/// the start of a program.
void reuseFreedMemory();

} // namespace headscope::lm
