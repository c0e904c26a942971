// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads of a model gather and aggregate: the paper's for its models, else found by ranking. Worker thread.

#include "core/experiments/lab.h"

#include <string>
#include <vector>

namespace headscope::experiments {

using interventions::HeadRef;
using interventions::InterventionSet;

struct GatherAggregate {
    std::vector<HeadRef> gather;
    std::vector<HeadRef> aggregate;
    int lastLayer = 0;  ///< of the minimal model: the one with the aggregate heads
    bool paper = false; ///< named in the paper; else found here

    [[nodiscard]] int gatherLayer() const { return gather.empty() ? lastLayer : gather.front().layer; }
    [[nodiscard]] std::vector<HeadRef> both() const;
};

/// The paper's heads for its own models. Else every head is removed once on KV retrieval: a head that takes more than
/// half of what lies above chance is critical; the costliest critical head of the highest such layer aggregates, the
/// costliest of the next lower such layer gathers. Without two critical heads the costliest heads stand in, which the
/// lab is informed.
[[nodiscard]] Result<GatherAggregate> gatherAggregate(Lab& lab, Bench& bench);

/// These heads zeroed, on top of other interventions.
[[nodiscard]] InterventionSet without(const std::vector<HeadRef>& heads, const InterventionSet& besides = {});
/// upto:L2
[[nodiscard]] InterventionSet minimalModel(int lastLayer);
/// Text of the command line as a set; for recipes' own constant texts.
[[nodiscard]] InterventionSet edit(const std::string& text);
[[nodiscard]] InterventionSet joined(const InterventionSet& a, const InterventionSet& b);

/// "L2H3", in Mamba-1 layers "L35C3186".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const HeadRef& head);
/// "L2H3, L2H4"; "none" for no head.
[[nodiscard]] std::string namesOf(const lm::ModelSpec& spec, const std::vector<HeadRef>& heads);

/// `count` different heads out of `from`, drawn by the seed.
[[nodiscard]] std::vector<HeadRef> randomHeads(const std::vector<HeadRef>& from, int count, std::uint64_t seed);

/// The first `count` of a ranking.
[[nodiscard]] std::vector<HeadRef> firstOf(const std::vector<engine::RankedHead>& ranking, std::size_t count);

} // namespace headscope::experiments
