// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What analyses of one prompt give: plain values without tensors. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"
#include "core/analysis/mean.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

/// Tokens that a person chose to ask about in place of the sample's; nothing: the sample's, or the likeliest.
struct AnswerTokens {
    std::optional<int> answer, distractor;
    bool operator==(const AnswerTokens&) const = default;
};

/// What is asked of one prompt in one state.
struct WhyQuestion {
    ModelState state;
    Prompt prompt;
    AnswerTokens asked{};
    int samples = 1; ///< of attribution: of the prompt's task, from its first on; 1: this prompt alone
};

/// What the lens sees at one layer and position.
struct LensPoint {
    std::string token; ///< the most probable
    int id = -1;       ///< its number; -1: the lens has no matrix for this layer
    float probability = 0;
    float entropy = 0;        ///< nats
    int rank = 0;             ///< of the followed token, 0: the most probable
    float logProbability = 0; ///< of the followed token
};

struct LensReply {
    SavedAnalysis record; ///< as a session keeps it
    interventions::InterventionSet ablation;
    AnswerTokens asked;
    std::string file;                ///< see LensRequest
    std::vector<std::string> tokens; ///< of the prompt
    std::vector<int> ids;            ///< of the prompt
    std::string followed;            ///< empty: at each position what the model itself says at the end
    int layers = 0;                  ///< rows: the stream before each layer; the last is the model's own output
    std::vector<LensPoint> points;   ///< by layer, then position
    std::vector<float> before; ///< log-probability of the followed token with all heads on, for each point; empty where
                               ///< nothing is off or no token is followed
    int answerToken = 0, answerTokens = 1; ///< which token of the answer is followed, and of how many
    int firstLayer = -1; ///< from which on the followed token is on top at the last position; -1: it is not at the end
};

/// What one writer adds to the logit difference.
struct DirectValue {
    enum class Kind { Head, Mlp, Other };
    Kind kind = Kind::Other;
    std::string name; ///< "L2H5", "L2.mlp", "embed"
    interventions::HeadRef head;
    bool attention = true; ///< of a head
    analysis::Mean mean;   ///< over the prompts; an interval where there are several
};

struct DirectReply {
    SavedAnalysis record;
    interventions::InterventionSet ablation;
    AnswerTokens asked;
    std::string answer, distractor; ///< of the first prompt
    int prompts = 1;
    int leftOut = 0;                       ///< samples that no question can be made of
    int answerToken = 0, answerTokens = 1; ///< which token of the answer it is, and of how many
    analysis::Mean difference;             ///< of the logits, before a cap; the values add up to it
    bool capped = false;
    std::vector<DirectValue> values; ///< in the model's order
    int silentSites = 0;             ///< mixers whose heads write nothing into the stream themselves
};

/// A head's part of the difference by the tokens that it reads.
struct SourcesReply {
    WhyQuestion question;
    interventions::HeadRef head;
    TokenizedPrompt tokens;
    std::vector<double> values; ///< one a token; they add up to the head's part
    std::string answer, distractor;
};

/// What the model would say at each layer and position, with the sample's answer followed.
struct LensRequest : WhyQuestion {
    using Reply = LensReply;
    std::string file; ///< of a Jacobian lens; empty: the logit lens
};
[[nodiscard]] Job<LensReply> jobOf(const LensRequest& request);

/// What each head, MLP and the embedding add to the answer's lead.
struct DirectRequest : WhyQuestion {
    using Reply = DirectReply;
};
[[nodiscard]] Job<DirectReply> jobOf(const DirectRequest& request);

/// The part of one head by the tokens that it reads.
struct SourcesRequest {
    using Reply = SourcesReply;
    WhyQuestion of;
    interventions::HeadRef head;
};
[[nodiscard]] Job<SourcesReply> jobOf(const SourcesRequest& request);

} // namespace headscope::app
