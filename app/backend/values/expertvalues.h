// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experts that each token of a prompt is routed to: plain values. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"
#include "core/analysis/expertchoices.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct ExpertsReply {
    ModelState state;
    std::string text; ///< the prompt
    TokenizedPrompt tokens;
    std::vector<analysis::ExpertChoices> layers; ///< one per layer that runs experts
    std::vector<analysis::ExpertChoices> before; ///< the same without ablation; empty if nothing is ablated
};

/// Requests the experts chosen for each token, with and without the ablation. Fails for a model without experts.
struct ExpertsRequest {
    using Reply = ExpertsReply;
    ModelState state;
    Prompt prompt;
};
[[nodiscard]] Job<ExpertsReply> jobOf(const ExpertsRequest& request);

} // namespace headscope::app
