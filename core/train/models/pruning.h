// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Phase 3: rules that take idle and duplicate heads away. No rule names a head or a layer. Training thread only.

#include "core/train/measurements.h"
#include "core/train/recipe.h"

#include <string>
#include <vector>

namespace headscope::train {

/// After an optimizer step: every head's slice of the output projection and of the value projection is multiplied by
/// max(0, 1 - rate * strength / norm * (largest norm in the layer / norm)^power). Used slices grow back, idle ones do
/// not. `kinds`: the letters of the layers that this is done to.
void shrinkHeads(Network& network, const std::string& kinds, double rate, double strength, double power);

/// A head that is being switched off: its output's factor goes from 1 to 0 in a straight line.
struct Fade {
    HeadId head;
    int firstStep = 0;
    int steps = 1;
    [[nodiscard]] float factorAt(int step) const;
};

/// A head to be taken away, and by how much the loss would rise at once (nats, KV + MC + completion).
struct Duplicate {
    HeadId head;
    double cost = 0;
};

/// What one look at the heads found.
struct DuplicateSearch {
    std::vector<Duplicate> leaving; ///< cheapest first
    std::string report; ///< heads with the same behaviour and their costs, for the log; empty: no duplicates
};

/// Looks for live heads with the same behaviour. Of each such group the one whose removal costs least is a candidate;
/// the cheapest candidate leaves, and with it those whose removal costs next to nothing.
[[nodiscard]] DuplicateSearch findDuplicates(const Network& network, const HeadScales& scales,
                                             const PruningRecipe& recipe, tasks::ToyRandom& random);

} // namespace headscope::train
