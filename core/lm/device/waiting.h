// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How threads of tensor operations wait for each other.

#include <optional>

namespace headscope::lm {

/// CPU time used by the whole machine and by this process, in seconds since counting began.
struct ProcessorUse {
    double machine = 0;
    double own = 0;
};

/// Returns the use so far; nothing if the system does not report it.
[[nodiscard]] std::optional<ProcessorUse> processorUse();

/// Threads of libgomp wait by spinning for milliseconds. On an idle machine nothing is faster. Beside other
/// programs this is longer than a scheduler time slice: every wait takes a whole slice from the thread that is
/// waited for, and work takes three to four times as long. If libgomp manages more threads than there are
/// processors, it lets them sleep soon (its manual, GOMP_SPINCOUNT), so an extra team of idle threads is held while
/// other programs are busy. Checks twice a second on its own thread, from the first call on. OMP_WAIT_POLICY takes
/// precedence.
void letIdleThreadsSleep();

} // namespace headscope::lm
