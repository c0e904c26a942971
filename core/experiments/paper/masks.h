// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SSM and attention heads reduced to the entries of gathering and aggregating, sample by sample.

#include "core/experiments/experiment.h"

#include <vector>

namespace headscope::experiments {

/// What is left of a head's matrix.
enum class Mask { Whole, Pattern, Random, Nothing };

/// A state of the experiment: what is left of gather heads and of aggregate heads.
struct MaskedState {
    const char* name; ///< as in the column "state"
    Mask gather, aggregate;
};
/// In the order in which they are measured; the first is the model as it is.
[[nodiscard]] const std::vector<MaskedState>& maskedStates();

[[nodiscard]] Experiment masks();

} // namespace headscope::experiments
