// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The two runs that patching and edges are asked on: the open model, its edits and the prompts. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/pairquestion.h"
#include "core/engine/questions/overpairs.h"

namespace headscope::app {

struct PairedPrompts {
    std::shared_ptr<Opened> model;
    lm::Edits base;
    std::vector<engine::PromptPair> pairs;
    std::vector<std::pair<std::string, std::string>> prompts; ///< clean and corrupt; the run takes the pairs themselves
    PairSummary summary;                                      ///< tokens, and how many samples have no counterpart
    /// Runs of the first prompt's length that a step takes: of small models many, of large ones one at a time.
    std::size_t atOnce = 1;
};

/// Fails with the sentence that says why there is no such pair.
[[nodiscard]] Result<PairedPrompts> pairedPrompts(Models& models, const PairQuestion& question);

/// Takes in the pairs that are over.
void addPairs(PairSummary& summary, const engine::OverPairs& over, const PairedPrompts& asked);

} // namespace headscope::app
