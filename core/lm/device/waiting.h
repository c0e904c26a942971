// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How threads of tensor work wait for each other.

#include <optional>

namespace headscope::lm {

/// Processors in use by everything on the machine, and by this process, in seconds since they began to be counted.
struct ProcessorUse {
    double machine = 0;
    double own = 0;
};

/// Nothing where the system does not report.
[[nodiscard]] std::optional<ProcessorUse> processorUse();

/// Threads of libgomp wait for each other by asking again and again, for milliseconds. On a quiet machine nothing is
/// faster. Beside other programs it is longer than a turn of the processor: every wait takes a whole turn from the
/// thread that is waited for, and work takes three to four times as long. Where it manages more threads than there are
/// processors libgomp lets them sleep soon (its manual, GOMP_SPINCOUNT), so while others are at work a team more is
/// held, of threads that do nothing. Looks twice a second, from a thread of its own. From the first call on.
/// OMP_WAIT_POLICY goes before it.
void letThreadsSleepBesideOthers();

} // namespace headscope::lm
