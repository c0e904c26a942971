// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Phase 3: rules that remove idle and duplicate heads. No rule names a head or a layer. Training thread only.

#include "core/train/measurements.h"
#include "core/train/recipe.h"

#include <string>
#include <vector>

namespace headscope::train {

/// After an optimizer step, multiplies every head's slice of the output projection and of the value projection by
/// max(0, 1 - rate * strength / norm * (largest norm in the layer / norm)^power). Used slices grow back, idle ones do
/// not. `kinds`: the letters of the affected layers.
void shrinkHeads(Network& network, const std::string& kinds, double rate, double strength, double power);

/// A head that is being switched off: its output's factor falls linearly from 1 to 0.
struct Fade {
    HeadId head;
    int firstStep = 0;
    int steps = 1;
    [[nodiscard]] float factorAt(int step) const;
};

/// A head to be removed, and the immediate increase of the loss (nats, KV + MC + completion).
struct Duplicate {
    HeadId head;
    double cost = 0;
};

/// Result of one search for duplicate heads.
struct DuplicateSearch {
    std::vector<Duplicate> leaving; ///< cheapest first
    std::string report; ///< heads with the same behaviour and their costs, for the log; empty: no duplicates
};

/// Searches for live heads with the same behaviour. In each such group the one whose removal costs least is a
/// candidate; the cheapest candidate is removed, together with those whose removal costs next to nothing.
[[nodiscard]] DuplicateSearch findDuplicates(const Network& network, const HeadScales& scales,
                                             const PruningRecipe& recipe, tasks::ToyRandom& random);

} // namespace headscope::train
