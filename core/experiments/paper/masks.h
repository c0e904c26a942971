// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SSM and attention heads reduced to the entries of gathering and aggregating, sample by sample.

#include <vector>

namespace headscope::experiments {

/// The remaining part of a head's matrix.
enum class Mask { Whole, Pattern, Random, Nothing };

/// A state of the experiment: the remaining parts of gather heads and of aggregate heads.
struct MaskedState {
    const char* name; ///< as in the column "state"
    Mask gather, aggregate;
};
/// Returns the states in the order of measurement; the first is the unmodified model.
[[nodiscard]] const std::vector<MaskedState>& maskedStates();

} // namespace headscope::experiments
