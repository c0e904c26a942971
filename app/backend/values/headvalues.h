// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What heads are worth. Plain values; any thread.

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
    bool attention = true; ///< its kind, which the name of a head gives only in layers of two
    double value = 0;
    double delta = 0;
    double low = 0;
    double high = 0;
    double margin = 0;                                      ///< change of the answers' log odds, nats
    double p = std::numeric_limits<double>::quiet_NaN();    ///< of delta, of one look; NaN: nothing was tested
    double holm = std::numeric_limits<double>::quiet_NaN(); ///< corrected for all heads, when all are in
    double falseDiscovery = std::numeric_limits<double>::quiet_NaN(); ///< the same by Benjamini and Hochberg
    int group =
        -1;    ///< heads that cannot be distinguished from the first of their group share its number; -1: not compared
    int n = 0; ///< examples it was measured on
    bool estimate = false; ///< by gradients, nothing was removed
};

/// What removing heads costs, as far as it is known, and what was asked.
struct HeadCosts : std::vector<HeadValue> {
    std::string identity; ///< as a session knows it: app/notebook/analysisquestion.h
};

struct RankRequest {
    using Reply = HeadCosts;
    Side side = Side::A;
    std::string task;
    int limit = 0; ///< examples; 0: all
    RankMethod method = RankMethod::Exact;
    std::vector<interventions::HeadRef> first; ///< Exact: heads that come before the others, in this order
    int steps = 4;                             ///< Estimate: see engine::EstimateOptions

    auto operator<=>(const RankRequest&) const = default;
};

/// Scores of all heads from their maps of one prompt, by id; see core/analysis/patternscores.h for what they mean. A
/// score that is not defined on this prompt is NaN.
struct HeadScores {
    std::string identity; ///< as HeadCosts has it
    interventions::InterventionSet ablation;
    std::map<std::string, std::vector<HeadValue>> scores;
    std::map<std::string, double> uniform{}; ///< what a head that reads all tokens alike scores; not of every score
};

[[nodiscard]] Job<HeadCosts> jobOf(const RankRequest& request);

/// What ranking all heads on this task and that many examples would cost, for each method. Has the lowest priority.
struct ForecastRequest {
    using Reply = RankForecast;
    RankRequest of;
};
[[nodiscard]] Job<RankForecast> jobOf(const ForecastRequest& request);

/// What gradients say that the removal of each head would cost, in log odds; a loss is positive.
struct EstimateRequest {
    using Reply = std::vector<HeadValue>;
    RankRequest of; ///< whatever its method says
};
[[nodiscard]] Job<std::vector<HeadValue>> jobOf(const EstimateRequest& request);

/// What each head is worth for the answer to one prompt, by all heads of the model: the value is what the answer's lead
/// over its distractor loses, in logits, without the head. An estimate is what the head adds to the lead by itself; NaN
/// where it writes nothing into the stream itself.
struct PromptEffects : std::vector<HeadValue> {
};

/// The same with all other heads on: estimates at once, then one head after the other, those with the largest first.
struct PromptEffectsRequest {
    using Reply = PromptEffects;
    Side side = Side::A;
    Prompt prompt;
};
[[nodiscard]] Job<PromptEffects> jobOf(const PromptEffectsRequest& request);

/// Of each head how it differs in model B from the same one in A, by what engine::HeadChange calls it: "ov", "qk", and
/// "pattern" on the prompt, with all heads on.
struct ChangedHeads : std::map<std::string, std::vector<HeadValue>> {
    std::vector<std::string> undefined; ///< why something of it was left out, a sentence each
};

struct ChangedHeadsRequest {
    using Reply = ChangedHeads;
    Side side = Side::A; ///< whose map asks for it
    Prompt prompt;       ///< an empty text: weights alone
};
[[nodiscard]] Job<ChangedHeads> jobOf(const ChangedHeadsRequest& request);

/// Every score of every head that a map gives.
struct HeadScoresRequest {
    using Reply = HeadScores;
    Side side = Side::A;
    Prompt prompt;
    interventions::InterventionSet ablation;
};
[[nodiscard]] Job<HeadScores> jobOf(const HeadScoresRequest& request);

/// The same, to find the head that reads the answer.
struct ReadersRequest : HeadScoresRequest {
};

/// The same with all heads on, of the first sample of a task: what heads are for there, whatever is looked at.
struct TaskScoresRequest {
    using Reply = HeadScores;
    Side side = Side::A;
    std::string task;
};
[[nodiscard]] Job<HeadScores> jobOf(const TaskScoresRequest& request);

} // namespace headscope::app
