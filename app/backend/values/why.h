// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests for analyses of one prompt, and their replies: plain values without tensors. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"
#include "core/analysis/statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

/// Tokens chosen by the user instead of the sample's; empty: the sample's, or the most probable ones.
struct AnswerTokens {
    std::optional<int> answer, distractor;
    bool operator==(const AnswerTokens&) const = default;
};

/// A question about one prompt in one state.
struct WhyQuestion {
    ModelState state;
    Prompt prompt;
    AnswerTokens asked{};
    int samples = 1; ///< of attribution: samples of the prompt's task, from its first on; 1: this prompt only
};

/// The lens output at one layer and position.
struct LensPoint {
    std::string token; ///< the most probable token
    int id = -1;       ///< its id; -1: the lens has no matrix for this layer
    float probability = 0;
    float entropy = 0;        ///< nats
    int rank = 0;             ///< rank of the followed token; 0: the most probable
    float logProbability = 0; ///< of the followed token
};

struct LensReply {
    SavedAnalysis record; ///< in the form a session stores
    interventions::InterventionSet ablation;
    AnswerTokens asked;
    std::string file;                ///< see LensRequest
    std::vector<std::string> tokens; ///< of the prompt
    std::vector<int> ids;            ///< of the prompt
    std::string followed;            ///< empty: at each position the model's own prediction
    int layers = 0;                  ///< rows: the residual stream before each layer; last: the model's output
    std::vector<LensPoint> points;   ///< by layer, then position
    std::vector<float> before; ///< log-probability of the followed token with all heads on, for each point; empty if
                               ///< nothing is ablated or no token is followed
    int answerToken = 0, answerTokens = 1; ///< index of the followed token within the answer, and their number
    int firstLayer = -1; ///< the followed token stays on top at the last position from this layer on; -1: never
};

/// The direct contribution of one writer to the logit difference.
struct DirectValue {
    enum class Kind { Head, Mlp, Other };
    Kind kind = Kind::Other;
    std::string name; ///< "L2H5", "L2.mlp", "embed"
    interventions::HeadRef head;
    bool attention = true; ///< of a head
    analysis::Mean mean;   ///< over the prompts; with an interval if there are several
};

struct DirectReply {
    SavedAnalysis record;
    interventions::InterventionSet ablation;
    AnswerTokens asked;
    std::string answer, distractor; ///< of the first prompt
    int prompts = 1;
    int leftOut = 0;                       ///< samples that provide no answer and distractor
    int answerToken = 0, answerTokens = 1; ///< index of the token compared within the answer, and their number
    analysis::Mean difference;             ///< of the logits, before a cap; the values add up to it
    bool capped = false;
    std::vector<DirectValue> values; ///< in the model's order
    int silentSites = 0;             ///< mixers whose heads do not write into the residual stream themselves
};

/// The contribution of one head to the logit difference, by the tokens that it reads.
struct SourcesReply {
    WhyQuestion question;
    interventions::HeadRef head;
    TokenizedPrompt tokens;
    std::vector<double> values; ///< one per token; they add up to the head's contribution
    std::string answer, distractor;
};

/// Requests the lens output at each layer and position, following the sample's answer.
struct LensRequest : WhyQuestion {
    using Reply = LensReply;
    std::string file; ///< of a Jacobian lens; empty: the logit lens
};
[[nodiscard]] Job<LensReply> jobOf(const LensRequest& request);

/// Requests the direct contributions of each head, MLP and the embedding to the logit difference.
struct DirectRequest : WhyQuestion {
    using Reply = DirectReply;
};
[[nodiscard]] Job<DirectReply> jobOf(const DirectRequest& request);

/// Requests the contribution of one head by the tokens that it reads.
struct SourcesRequest {
    using Reply = SourcesReply;
    WhyQuestion of;
    interventions::HeadRef head;
};
[[nodiscard]] Job<SourcesReply> jobOf(const SourcesRequest& request);

} // namespace headscope::app
