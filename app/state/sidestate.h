// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One of the two models side by side: what is done to it, and what is known of it in that state. Plain values; GUI
// thread.

#include "app/backend/values.h"
#include "core/interventions/intervention.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::gui {

/// Heads whose removal costs retrieval, by what they look at; the most expensive first.
struct RetrievalHeads {
    std::vector<interventions::HeadRef> gather;
    std::vector<interventions::HeadRef> aggregate;
    bool operator==(const RetrievalHeads&) const = default;
};

struct SideState {
    std::shared_ptr<const app::ModelSummary> model; ///< null: none is open
    interventions::InterventionSet ablation;
    interventions::HeadRef head;              ///< the chosen one, with its site where the layer has two
    std::string metric = "effect";            ///< what colours the head map: an id of a score, or of `ownMetrics`
    std::optional<interventions::Site> site;  ///< kind of heads to look at unasked; none: any
    std::optional<app::ModelState> reference; ///< what scores are compared with; none: the model with all heads on
    std::optional<app::Prompt> keptPrompt;    ///< its own, while the other side continues
    int lockedRow = -1;                       ///< of the map; -1: none

    // Known of this model, whatever is off.
    std::shared_ptr<const std::vector<app::HeadValue>> effects; ///< what removing each head costs
    app::RankMethod effectsMethod = app::RankMethod::Exact;
    std::string effectsIdentity;                                   ///< app::HeadCosts
    std::map<std::string, std::vector<app::HeadValue>> ownMetrics; ///< by id: a person's files, estimates, stored ones
    std::optional<RetrievalHeads> found;

    // Known of this model in this state; null until it is there.
    std::shared_ptr<const app::PatternReply> pattern; ///< of the chosen head on the prompt
    QString patternProblem;                           ///< why there is none
    std::shared_ptr<const app::ScoreReply> scores;    ///< against the reference
    std::shared_ptr<const app::ScoreReply> curve;     ///< KV retrieval by size of the dictionary
    std::shared_ptr<const app::HeadScores> headScores;

    [[nodiscard]] bool isStored() const { return model && model->stored; }
};

} // namespace headscope::gui
