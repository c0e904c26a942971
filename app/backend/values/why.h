// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What analyses of one prompt give: plain values without tensors. Any thread.

#include "core/interventions/intervention.h"

#include <string>
#include <vector>

namespace headscope::app {

/// What the lens sees at one layer and position.
struct LensPoint {
    std::string token; ///< the most probable
    float probability = 0;
    float entropy = 0;        ///< nats
    int rank = 0;             ///< of the followed token, 0: the most probable
    float logProbability = 0; ///< of the followed token
};

struct LensReply {
    interventions::InterventionSet ablation;
    std::vector<std::string> tokens;       ///< of the prompt
    std::string followed;                  ///< empty: at each position what the model itself says at the end
    int layers = 0;                        ///< rows: the stream before each layer; the last is the model's own output
    std::vector<LensPoint> points;         ///< by layer, then position
    int answerToken = 0, answerTokens = 1; ///< which token of the answer is followed, and of how many
    int firstLayer = -1; ///< from which on the followed token is on top at the last position; -1: it is not at the end
};

/// What one writer adds to the logit difference.
struct DirectValue {
    enum class Kind { Head, Mlp, Other };
    Kind kind = Kind::Other;
    std::string name; ///< "L2H5", "L2.mlp", "embed"
    interventions::HeadRef head;
    double value = 0;
};

struct DirectReply {
    interventions::InterventionSet ablation;
    std::string answer, distractor;
    int answerToken = 0, answerTokens = 1; ///< which token of the answer it is, and of how many
    double difference = 0;                 ///< of the logits, before a cap; the values add up to it
    bool capped = false;
    std::vector<DirectValue> values; ///< in the model's order
    int silentSites = 0;             ///< mixers whose heads write nothing into the stream themselves
};

} // namespace headscope::app
