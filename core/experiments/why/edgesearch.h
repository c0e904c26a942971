// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Looks for few edges that carry what a model makes of pairs of prompts. Worker thread.

#include "core/engine/questions/overpairs.h"
#include "core/why/paths/circuit.h"

namespace headscope::experiments {

/// Pairs of one kind, recorded.
using RecordedPairs = std::vector<engine::PairRuns>;

/// What is measured of a circuit on pairs: 1 as the clean run, 0 as the corrupt one.
struct FoundEdge {
    analysis::Mean share; ///< of the clean run's logit difference above the corrupt one's
    int answered = 0;     ///< pairs whose likeliest token is the answer
    int pairs = 0;
};

struct EdgeSearch {
    const lm::Model& model;
    const lm::Edits& base;
    Control control;

    [[nodiscard]] Result<FoundEdge> measure(const RecordedPairs& pairs, const why::Circuit& circuit) const;
    /// By edge, the largest mean share that it carries alone in one of the kinds of pairs, of which the first two
    /// count.
    [[nodiscard]] Result<std::map<std::pair<why::Sender, why::Receiver>, double>>
    strengths(const std::vector<RecordedPairs>& kinds, const why::Circuit& among) const;
    /// Edges from the strongest on until each kind's share reaches `wanted`; then those left out again, the weakest
    /// first, without which it still does. All of them where that does not suffice.
    [[nodiscard]] Result<why::Circuit> find(const std::vector<RecordedPairs>& kinds,
                                            const std::map<std::pair<why::Sender, why::Receiver>, double>& strengths,
                                            double wanted) const;

private:
    /// How many of the first edges of an order reach `wanted`, by doubling and then halving the step; about, as what is
    /// too many is left out again.
    [[nodiscard]] Result<std::size_t> enough(const std::vector<RecordedPairs>& kinds,
                                             const std::vector<std::pair<why::Sender, why::Receiver>>& order,
                                             double wanted) const;
    [[nodiscard]] Result<bool> reaches(const std::vector<RecordedPairs>& kinds, const why::Circuit& circuit,
                                       double wanted) const;
};

} // namespace headscope::experiments
