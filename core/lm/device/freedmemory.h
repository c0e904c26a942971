// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Returning unused memory to the system. Any thread.

namespace headscope::lm {

/// Returns all freed memory to the system; for use before a longer pause in computation (see
/// reuseFreedMemory()).
void returnFreedMemory();

} // namespace headscope::lm
