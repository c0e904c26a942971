// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The log-probability that a model assigned to each token of a prompt: plain values. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct TokenLogProb {
    double now = std::numeric_limits<double>::quiet_NaN();      ///< nats; NaN: the first token, which nothing precedes
    double baseline = std::numeric_limits<double>::quiet_NaN(); ///< the same with all heads on
    std::vector<std::pair<std::string, double>> likely;         ///< most probable tokens here, with probabilities
};

struct PromptLogProbs {
    ModelState state;
    std::string text; ///< the prompt
    TokenizedPrompt tokens;
    std::vector<TokenLogProb> values; ///< one per token
};

/// Requests the log-probability of each token of the prompt, also with all heads on.
struct LogProbsRequest {
    using Reply = PromptLogProbs;
    ModelState state;
    Prompt prompt;
};
[[nodiscard]] Job<PromptLogProbs> jobOf(const LogProbsRequest& request);

} // namespace headscope::app
