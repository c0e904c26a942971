// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is asked of activation patching in the window, and what comes back: plain values without tensors. Any thread.

#include "app/backend/values/model.h"
#include "app/backend/values/prompt.h"
#include "core/analysis/mean.h"
#include "core/tasks/exchange.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

enum class PatchedPart { Heads, Stream, Mixer, Mlp };

/// Two prompts of one length, and which parts of one's run are put into the other's.
struct PatchQuestion {
    ModelState state;
    Prompt prompt;                           ///< the clean one
    std::string other;                       ///< the corrupt one; empty: made of the sample by exchanging a piece
    std::optional<tasks::Exchange> exchange; ///< nothing: the first that the sample has the pieces for
    PatchedPart part = PatchedPart::Heads;   ///< heads at all positions together, the others at each position
    bool noise = false;                      ///< the corrupt run's parts go into the clean one, not the other way round
    int pairs = 1;                           ///< of the task at most, this sample's first; 1: this one alone
};

/// What the metric becomes with one part put in: 0 as without, 1 as the other run.
struct PatchedCell {
    interventions::HeadRef head; ///< head -1: the layer's stream, mixers or MLP
    int position = -1;           ///< -1: all together
    analysis::Mean share;        ///< over the pairs; an interval where there are several
};

struct PatchReply {
    PatchQuestion question;
    std::vector<std::string> tokens, otherTokens; ///< of the first pair
    std::string answer, distractor;
    double clean = 0, corrupt = 0; ///< mean logit difference of the two runs
    int pairs = 0;                 ///< that count so far
    int leftOut = 0;               ///< samples without a counterpart of their length
    std::vector<PatchedCell> cells;
    bool final = false;
};

} // namespace headscope::app
