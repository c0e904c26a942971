// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of heads: the cost of removing each, and metrics of its pattern. Plain values; any thread.

#include "app/backend/values/promptvalues.h"
#include "app/workbench/heads/rankcost.h"

#include <compare>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct HeadValue {
    interventions::HeadRef head;
    bool attention = true; ///< attention or SSM; the name of a head shows it only in layers with both
    double value = 0;
    double delta = 0;
    double low = 0;
    double high = 0;
    double margin = 0;                                      ///< change of the answers' log odds, nats
    double p = std::numeric_limits<double>::quiet_NaN();    ///< of delta, valid for one look; NaN: not tested
    double holm = std::numeric_limits<double>::quiet_NaN(); ///< Holm-corrected over all heads, once all are measured
    double falseDiscovery = std::numeric_limits<double>::quiet_NaN(); ///< Benjamini-Hochberg-adjusted, likewise
    int group = -1; ///< shared by heads that cannot be distinguished from the first of their group; -1: not compared
    int n = 0;      ///< examples it was measured on
    bool estimate = false; ///< computed from gradients; no head was removed
};

/// The measured costs of removing heads, possibly of only some of them so far.
struct HeadCosts : std::vector<HeadValue> {
    std::string identity; ///< as a session knows it: app/notebook/analysisquestion.h
    bool shipped = false; ///< measured when this version was built: app/workbench/heads/shippedranking.h
};

struct RankRequest {
    using Reply = HeadCosts;
    Side side = Side::A;
    std::string task;
    int limit = 0; ///< examples; 0: all
    RankMethod method = RankMethod::Exact;
    std::vector<interventions::HeadRef> first; ///< Exact: heads to measure before the others, in this order
    int steps = 4;                             ///< Estimate: see engine::EstimateOptions
    bool again = false;                        ///< Exact: measured here, whatever comes with the program

    auto operator<=>(const RankRequest&) const = default;
};

/// Scores of all heads, computed from their maps of one prompt, by score id; core/analysis/patternscores.h defines
/// them. A score that is not defined on this prompt is NaN.
struct HeadScores {
    std::string identity; ///< as in HeadCosts
    interventions::InterventionSet ablation;
    std::map<std::string, std::vector<HeadValue>> scores;
    std::map<std::string, double> uniform{}; ///< score of a head that attends uniformly; not defined for every score
};

[[nodiscard]] Job<HeadCosts> jobOf(const RankRequest& request);

/// Requests the cost of ranking all heads by each method, for this task and limit. Lowest priority.
struct ForecastRequest {
    using Reply = RankForecast;
    RankRequest of;
};
[[nodiscard]] Job<RankForecast> jobOf(const ForecastRequest& request);

/// Requests gradient estimates of the cost of removing each head, in log odds; a loss is positive.
struct EstimateRequest {
    using Reply = std::vector<HeadValue>;
    RankRequest of; ///< its method is ignored
};
[[nodiscard]] Job<std::vector<HeadValue>> jobOf(const EstimateRequest& request);

/// The effect of each head of the model on the answer to one prompt: the value is the decrease of the logit difference
/// between answer and distractor without the head, in logits. An estimate is the head's direct contribution to that
/// difference; NaN for a head that does not write into the residual stream itself.
struct PromptEffects : std::vector<HeadValue> {
};

/// Requests these effects with all other heads on: all estimates, then each head, largest estimates first.
struct PromptEffectsRequest {
    using Reply = PromptEffects;
    Side side = Side::A;
    Prompt prompt;
};
[[nodiscard]] Job<PromptEffects> jobOf(const PromptEffectsRequest& request);

/// The difference of each head between models A and B, by the names of engine::HeadChange: "ov", "qk", and "pattern" on
/// the prompt, with all heads on.
struct ChangedHeads : std::map<std::string, std::vector<HeadValue>> {
    std::vector<std::string> undefined; ///< one sentence per comparison that was left out, with the reason
};

struct ChangedHeadsRequest {
    using Reply = ChangedHeads;
    Side side = Side::A; ///< side whose map shows the reply
    Prompt prompt;       ///< empty text: compare weights only
};
[[nodiscard]] Job<ChangedHeads> jobOf(const ChangedHeadsRequest& request);

/// Requests every score that can be computed from the maps of all heads.
struct HeadScoresRequest {
    using Reply = HeadScores;
    Side side = Side::A;
    Prompt prompt;
    interventions::InterventionSet ablation;
};
[[nodiscard]] Job<HeadScores> jobOf(const HeadScoresRequest& request);

/// The same request, used to find the head that reads the answer: pruned heads, which nothing listens to, have no
/// "target".
struct ReadersRequest : HeadScoresRequest {
};
[[nodiscard]] Job<HeadScores> jobOf(const ReadersRequest& request);

/// Requests the same scores with all heads on, for the first sample of a task, whatever prompt is shown.
struct TaskScoresRequest {
    using Reply = HeadScores;
    Side side = Side::A;
    std::string task;
};
[[nodiscard]] Job<HeadScores> jobOf(const TaskScoresRequest& request);

} // namespace headscope::app
