// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A comparison of two runs: one on a prompt, one on a counterpart that is typed or derived from the sample. Plain
// values; any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"
#include "core/tasks/exchange.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// Two prompts of equal length, and the direction of patching between their runs.
struct PairQuestion {
    ModelState state;
    Prompt prompt;                           ///< the clean prompt
    std::string other;                       ///< the corrupted prompt; empty: the sample with one part exchanged
    std::optional<tasks::Exchange> exchange; ///< empty: the first exchange whose parts the sample has
    bool noise = false;                      ///< patch corrupted values into the clean run, not the reverse
    std::optional<std::string> file;         ///< a file of pairs, used instead of prompt and other
    int pairs = 1;                           ///< largest number from the task, beginning with this sample; 1: this one
                                             ///< only
    bool operator==(const PairQuestion&) const = default;
};

/// The two prompts of a pair and the tokens whose logits are compared.
struct NamedPair {
    std::string clean, corrupt, answer, distractor;
};

/// Both runs of the pairs measured so far.
struct PairSummary {
    std::vector<NamedPair> named;                 ///< the pairs that count so far
    std::vector<std::string> tokens, otherTokens; ///< of the first pair
    std::string answer, distractor;
    int answerToken = 0, answerTokens = 1; ///< of the first pair: index of the compared token in the answer, and count
    double clean = 0, corrupt = 0;         ///< mean logit difference of the two runs
    int pairs = 0;                         ///< number of pairs that count so far
    int leftOut = 0;                       ///< samples without a counterpart of equal length
};

} // namespace headscope::app
