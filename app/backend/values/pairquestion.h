// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two runs that are compared: of a prompt, and of another that is written or made of the sample. Plain values; any
// thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"
#include "core/tasks/exchange.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// Two prompts of one length, and whose run goes into whose.
struct PairQuestion {
    ModelState state;
    Prompt prompt;                           ///< the clean one
    std::string other;                       ///< the corrupt one; empty: made of the sample by exchanging a piece
    std::optional<tasks::Exchange> exchange; ///< nothing: the first that the sample has the pieces for
    bool noise = false;                      ///< the corrupt run's parts go into the clean one, not the other way round
    std::optional<std::string> file;         ///< of pairs, in place of prompt and other
    int pairs = 1;                           ///< of the task at most, this sample's first; 1: this one alone
    bool operator==(const PairQuestion&) const = default;
};

/// The two prompts of a pair and the tokens whose logits are compared.
struct NamedPair {
    std::string clean, corrupt, answer, distractor;
};

/// Of both runs.
struct PairSummary {
    std::vector<NamedPair> named;                 ///< the pairs that count so far
    std::vector<std::string> tokens, otherTokens; ///< of the first pair
    std::string answer, distractor;
    int answerToken = 0, answerTokens = 1; ///< of the first pair: which token of the answer it is, and of how many
    double clean = 0, corrupt = 0;         ///< mean logit difference of the two runs
    int pairs = 0;                         ///< that count so far
    int leftOut = 0;                       ///< samples without a counterpart of their length
};

} // namespace headscope::app
