// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How likely a model found each token of a prompt: plain values. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct TokenLogProb {
    double now = std::numeric_limits<double>::quiet_NaN();      ///< nats; NaN: nothing precedes the token
    double baseline = std::numeric_limits<double>::quiet_NaN(); ///< the same with all heads on
    std::vector<std::pair<std::string, double>>
        likely; ///< what the model found most probable there, with probabilities
};

struct PromptLogProbs {
    ModelState state;
    std::string text; ///< of the prompt
    TokenizedPrompt tokens;
    std::vector<TokenLogProb> values; ///< one a token
};

/// How likely each token of the prompt was, and with all heads on.
struct LogProbsRequest {
    using Reply = PromptLogProbs;
    ModelState state;
    Prompt prompt;
};
[[nodiscard]] Job<PromptLogProbs> jobOf(const LogProbsRequest& request);

} // namespace headscope::app
