// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The instruction sets for which the CPU loops are built. Any thread.

namespace headscope::lm {

enum class KernelSet : unsigned char { Baseline, Avx2, Avx512 };

/// Returns whether this build includes the set and this processor supports it.
[[nodiscard]] bool runsHere(KernelSet set);
[[nodiscard]] KernelSet bestSet(); ///< the best set that runs here

} // namespace headscope::lm
