// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What becomes of memory that is not used any more. Any thread.

namespace headscope::lm {

/// What was freed goes back to the system, all of it: for when nothing is computed for a while (see
/// reuseFreedMemory()).
void giveFreedMemoryBack();

} // namespace headscope::lm
