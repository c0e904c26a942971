// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts each token of a prompt goes to: plain values. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"
#include "core/analysis/expertchoices.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct ExpertsReply {
    ModelState state;
    std::string text; ///< of the prompt
    TokenizedPrompt tokens;
    std::vector<analysis::ExpertChoices> layers; ///< those whose experts run
    std::vector<analysis::ExpertChoices> before; ///< the same with nothing ablated; empty where nothing is
};

/// Which experts each token goes to, and with nothing ablated. Fails for a model without experts.
struct ExpertsRequest {
    using Reply = ExpertsReply;
    ModelState state;
    Prompt prompt;
};
[[nodiscard]] Job<ExpertsReply> jobOf(const ExpertsRequest& request);

} // namespace headscope::app
