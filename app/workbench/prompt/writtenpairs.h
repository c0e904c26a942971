// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Encodes pairs of prompts written by the user. Any thread.

#include "app/workbench/models/openmodel.h"
#include "core/engine/questions/pairs.h"

#include <string>
#include <vector>

namespace headscope::app {

/// Encodes the pairs. `source`: a description of their origin. Fails for a text that the model cannot read, and for an
/// answer or distractor of several tokens.
[[nodiscard]] Result<std::vector<engine::PromptPair>>
encodePairs(const OpenModel& open, const std::vector<engine::WrittenPair>& written, const std::string& source);

} // namespace headscope::app
