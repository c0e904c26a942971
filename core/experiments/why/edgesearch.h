// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Searches for a small set of edges that carries a model's behaviour on pairs of prompts. Worker thread.

#include "core/engine/questions/overpairs.h"
#include "core/why/paths/circuit.h"

namespace headscope::experiments {

/// Recorded pairs of one kind.
using RecordedPairs = std::vector<engine::PairRuns>;

/// Measurement of a circuit on pairs: 1 as in the clean run, 0 as in the corrupt one.
struct FoundEdge {
    analysis::Mean share; ///< share of the clean run's logit difference above the corrupt one's
    int answered = 0;     ///< pairs whose most likely token is the answer
    int pairs = 0;
};

struct EdgeSearch {
    const lm::Model& model;
    const lm::Edits& base;
    Control control;

    [[nodiscard]] Result<FoundEdge> measure(const RecordedPairs& pairs, const why::Circuit& circuit) const;
    /// Returns for each edge the largest mean share that it carries alone in any kind of pairs, of which only the first
    /// two count.
    [[nodiscard]] Result<std::map<std::pair<why::Sender, why::Receiver>, double>>
    strengths(const std::vector<RecordedPairs>& kinds, const why::Circuit& among) const;
    /// Adds edges from the strongest on until each kind's share reaches `wanted`; then removes those, the weakest
    /// first, without which it still does. Returns all of them if that does not suffice.
    [[nodiscard]] Result<why::Circuit> find(const std::vector<RecordedPairs>& kinds,
                                            const std::map<std::pair<why::Sender, why::Receiver>, double>& strengths,
                                            double wanted) const;

private:
    /// Returns how many of the first edges of an order reach `wanted`, by doubling and then halving the step;
    /// approximate, as surplus edges are removed later.
    [[nodiscard]] Result<std::size_t> enough(const std::vector<RecordedPairs>& kinds,
                                             const std::vector<std::pair<why::Sender, why::Receiver>>& order,
                                             double wanted) const;
    [[nodiscard]] Result<bool> reaches(const std::vector<RecordedPairs>& kinds, const why::Circuit& circuit,
                                       double wanted) const;
};

} // namespace headscope::experiments
