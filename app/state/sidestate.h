// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The state of one of the two models: its interventions, and the results known in that state. Plain values; GUI
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

/// Heads that retrieval depends on, by what they attend to; those with the largest cost first.
struct RetrievalHeads {
    std::vector<interventions::HeadRef> gather;
    std::vector<interventions::HeadRef> aggregate;
    bool operator==(const RetrievalHeads&) const = default;
};

struct SideState {
    std::shared_ptr<const app::ModelSummary> model; ///< null: no model is open
    interventions::InterventionSet ablation;
    interventions::HeadRef head;              ///< the selected head, with its site if the layer has two
    std::string metric = "effect";            ///< metric of the head map: id of a score, or of one in `ownMetrics`
    std::optional<interventions::Site> site;  ///< kind of heads to select automatically; none: any
    std::optional<app::ModelState> reference; ///< baseline of the scores; none: the model with all heads on
    std::optional<app::Prompt> keptPrompt;    ///< its own prompt, while the other side continues
    int lockedRow = -1;                       ///< of the map; -1: none

    // Results of this model, independent of its ablation.
    std::shared_ptr<const std::vector<app::HeadValue>> effects; ///< cost of removing each head
    app::RankMethod effectsMethod = app::RankMethod::Exact;
    bool effectsShipped = false;                                   ///< they were measured when this version was built
    std::string effectsIdentity;                                   ///< app::HeadCosts
    std::map<std::string, std::vector<app::HeadValue>> ownMetrics; ///< by id: a person's files, estimates, stored ones
    std::optional<RetrievalHeads> found;
    /// Returns whether a metric comes from an analysis page and applies to one prompt and ablation.
    [[nodiscard]] static bool isOfPage(const std::string& metric)
    {
        return metric == "attribution" || metric == "patching";
    }
    /// Drops these metrics.
    void forgetPages()
    {
        std::erase_if(ownMetrics, [](const auto& own) { return isOfPage(own.first); });
    }

    // Results of this model in this state; null until they are available.
    std::shared_ptr<const app::PatternReply> pattern; ///< of the selected head on the prompt
    QString patternProblem;                           ///< why there is no pattern
    std::shared_ptr<const app::ScoreReply> scores;    ///< compared with the reference
    std::shared_ptr<const app::ScoreReply> curve;     ///< KV retrieval by dictionary size
    std::shared_ptr<const app::HeadScores> headScores;

    /// Drops what applies to the tokens of one prompt, except the pattern, which stays until the next one.
    void forgetPrompt()
    {
        lockedRow = -1;
        for (const char* metric : {"prompt", "changed pattern"})
            ownMetrics.erase(metric);
        forgetPages();
        headScores.reset();
    }

    [[nodiscard]] bool isStored() const { return model && model->stored; }
};

} // namespace headscope::gui
