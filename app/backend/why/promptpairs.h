// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The two runs that patching and edges compare: the open model, its edits and the prompts. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/pairquestion.h"
#include "core/engine/questions/overpairs.h"

namespace headscope::app {

struct PairedPrompts {
    std::shared_ptr<Opened> model;
    lm::Edits base;
    std::vector<engine::PromptPair> pairs;
    std::vector<std::pair<std::string, std::string>> prompts; ///< clean and corrupted; the run uses the pairs
    PairSummary summary;                                      ///< tokens, and the number of samples left out
    /// Number of runs of the first prompt's length per step: many for small models, one for large ones.
    std::size_t atOnce = 1;
};

/// Prepares the pairs. Fails with the reason if there are none.
[[nodiscard]] Result<PairedPrompts> pairedPrompts(Models& models, const PairQuestion& question);

/// Adds the finished pairs to the summary.
void addPairs(PairSummary& summary, const engine::OverPairs& over, const PairedPrompts& asked);

} // namespace headscope::app
