// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The attribution of one attention score to the writers of its query and key: plain values. Any thread.

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
    double score = 0;    ///< before any softmax, minus the mean over the keys visible to the query
    double share = 0;    ///< share of the key in the row
    double position = 0; ///< contribution of the positions alone
    bool normed = false, capped = false, linearised = false; ///< see why::ScoreAttribution
    using Parts = std::vector<std::pair<std::string, double>>;
    Parts queryParts, keyParts; ///< by writer, in the model's order
    struct Pair {
        std::string query, key;
        double value = 0;
    };
    std::vector<Pair> pairs; ///< the largest pairs
};

[[nodiscard]] Job<ScorePartsReply> jobOf(const ScorePartsRequest& request);

} // namespace headscope::app
