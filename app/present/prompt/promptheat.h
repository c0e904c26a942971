// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The log-probability of each prompt token as colours and tooltips of its text. Pure functions; any thread.

#include "app/backend/values/promptlogprobs.h"
#include "widgets/prompt/promptbar.h"

namespace headscope::gui {

[[nodiscard]] std::vector<widgets::TokenHeat> promptHeat(const app::PromptLogProbs& reply);

} // namespace headscope::gui
