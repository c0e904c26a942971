// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The instruction sets that the loops of the processor are built for. Any thread.

namespace headscope::lm {

enum class KernelSet : unsigned char { Baseline, Avx2, Avx512 };

/// Whether this build has the set and this processor can run it.
[[nodiscard]] bool runsHere(KernelSet set);
[[nodiscard]] KernelSet bestSet(); ///< that runs here

} // namespace headscope::lm
