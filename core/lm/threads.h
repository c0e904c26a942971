// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Processor threads of tensor work.

#include "core/lm/spec.h"

namespace headscope::lm {

/// For the calling thread and everything it starts from now on.
void setThreads(int count);
[[nodiscard]] int threads();

/// `requested` threads, or when that is 0 one thread for a model so small that threads would wait for each other longer
/// than they compute (under 8 million parameters; measured on the shipped models), else the library's default.
void setThreadsFor(const ModelSpec& spec, int requested);

} // namespace headscope::lm
