// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How likely each token of a prompt was, as colours of its text and words beside it. Pure functions; any thread.

#include "app/backend/values/promptlogprobs.h"
#include "widgets/prompt/promptbar.h"

namespace headscope::gui {

[[nodiscard]] std::vector<widgets::TokenHeat> promptHeat(const app::PromptLogProbs& reply);

} // namespace headscope::gui
