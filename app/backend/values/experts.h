// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts each token of a prompt goes to: plain values. Any thread.

#include "app/backend/values/model.h"
#include "app/backend/values/prompt.h"

#include <string>
#include <vector>

namespace headscope::app {

/// What the router of one layer chose.
struct LayerChoices {
    int layer = 0;
    int experts = 0, chosen = 0; ///< of so many so many a token
    std::vector<int> ids;        ///< by token, the heaviest first
    std::vector<float> weights;  ///< the same: before any ablation of experts
    std::vector<float> shared;   ///< one a token: of the expert that runs for all; empty: there is none
};

struct ExpertsReply {
    ModelState state;
    std::string text; ///< of the prompt
    TokenizedPrompt tokens;
    std::vector<LayerChoices> layers; ///< those whose experts run
    std::vector<LayerChoices> before; ///< the same with nothing ablated; empty where nothing is
};

} // namespace headscope::app
