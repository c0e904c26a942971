// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The gather and aggregate heads of a model: the paper's for its models, otherwise found by ranking. Worker thread.

#include "core/experiments/lab.h"

#include <string>
#include <vector>

namespace headscope::experiments {

using interventions::HeadRef;
using interventions::InterventionSet;

struct GatherAggregate {
    std::vector<HeadRef> gather;
    std::vector<HeadRef> aggregate;
    int lastLayer = 0;  ///< last layer of the minimal model: the one with the aggregate heads
    bool paper = false; ///< named in the paper; false: found here

    [[nodiscard]] int gatherLayer() const { return gather.empty() ? lastLayer : gather.front().layer; }
    [[nodiscard]] std::vector<HeadRef> both() const;
};

/// Returns the paper's heads for its own models. Otherwise removes every head once on KV retrieval: a head that costs
/// more than half of the score above chance is critical; the most important critical head of the highest layer with one
/// aggregates, the most important of the next lower such layer gathers. Without two critical heads the most important
/// heads stand in, and a note is added to the lab.
[[nodiscard]] Result<GatherAggregate> gatherAggregate(Lab& lab, Bench& bench);

/// Returns these heads zeroed, in addition to other interventions.
[[nodiscard]] InterventionSet without(const std::vector<HeadRef>& heads, const InterventionSet& besides = {});
/// Returns upto:L2.
[[nodiscard]] InterventionSet minimalModel(int lastLayer);
/// Parses command-line text as a set; for constant texts in recipes.
[[nodiscard]] InterventionSet edit(const std::string& text);
[[nodiscard]] InterventionSet joined(const InterventionSet& a, const InterventionSet& b);

/// Returns "L2H3", in Mamba-1 layers "L35C3186".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const HeadRef& head);
/// Returns "L2H3, L2H4"; "none" without heads.
[[nodiscard]] std::string namesOf(const lm::ModelSpec& spec, const std::vector<HeadRef>& heads);

/// Draws `count` different heads from `from`, by the seed.
[[nodiscard]] std::vector<HeadRef> randomHeads(const std::vector<HeadRef>& from, int count, std::uint64_t seed);

/// Returns the first `count` heads of a ranking.
[[nodiscard]] std::vector<HeadRef> firstOf(const std::vector<engine::RankedHead>& ranking, std::size_t count);

} // namespace headscope::experiments
