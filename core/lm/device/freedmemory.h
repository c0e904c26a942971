// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What becomes of memory that is not used any more. Any thread.

namespace headscope::lm {

/// Returns all freed memory to the system: for when nothing is computed for a while (see
/// reuseFreedMemory()).
void giveFreedMemoryBack();

} // namespace headscope::lm
