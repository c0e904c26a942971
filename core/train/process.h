// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Process-wide settings that make training on the CPU several times faster. Main thread, before the first
// tensor.

namespace headscope::train {

/// Keeps freed memory (steps allocate the same large blocks repeatedly), flushes denormals, and uses `threads` CPU
/// threads: 1 is best for the tiny models, and the same number reproduces a run bit for bit.
void prepareProcess(int threads = 1);

} // namespace headscope::train
