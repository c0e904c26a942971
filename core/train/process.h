// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Settings of the whole process that make training on the CPU several times faster. Main thread, before the first
// tensor.

namespace headscope::train {

/// Keeps freed memory (steps ask for the same large blocks again and again), flushes denormals, and uses `threads`
/// processor threads: 1 is best for the tiny models, and the same number gives the same run bit for bit.
void prepareProcess(int threads = 1);

} // namespace headscope::train
