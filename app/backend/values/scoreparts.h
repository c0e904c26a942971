// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why a head looks from one token at another: plain values. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;
struct ScorePartsReply;

struct ScorePartsRequest {
    using Reply = ScorePartsReply;
    ModelState state;
    Prompt prompt;
    interventions::HeadRef head;
    int query = 0, key = 0; ///< positions
};

struct ScorePartsReply {
    ScorePartsRequest question;
    SavedAnalysis record;
    std::string head, queryToken, keyToken;
    double score = 0;    ///< before any softmax, less the mean over the keys that the query sees
    double share = 0;    ///< of the row
    double position = 0; ///< what the positions alone contribute
    bool normed = false, capped = false, linearised = false; ///< why::ScoreAttribution's
    using Parts = std::vector<std::pair<std::string, double>>;
    Parts queryParts, keyParts; ///< by writer, in the model's order
    struct Pair {
        std::string query, key;
        double value = 0;
    };
    std::vector<Pair> pairs; ///< the largest
};

[[nodiscard]] Job<ScorePartsReply> jobOf(const ScorePartsRequest& request);

} // namespace headscope::app
