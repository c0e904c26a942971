// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pairs of prompts that a person wrote, as the model reads them. Any thread.

#include "app/workbench/models/openmodel.h"
#include "core/engine/questions/pairs.h"

#include <string>
#include <vector>

namespace headscope::app {

/// `source`: where they are from, for people. Fails for a text that the model cannot read, and for an answer or
/// distractor of several tokens.
[[nodiscard]] Result<std::vector<engine::PromptPair>>
encodePairs(const OpenModel& open, const std::vector<engine::WrittenPair>& written, const std::string& source);

} // namespace headscope::app
