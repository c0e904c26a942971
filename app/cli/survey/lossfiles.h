// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loss with and without heads, as JSON, as a table for people, and as files. Main thread.

#include "app/cli/why/analysisfiles.h"
#include "core/survey/loss.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headscope::cli {

/// A list of heads: by group n, loss, change with its interval, and the tokens whose loss rises most with what
/// precedes them. Fails where texts cannot be read any more.
[[nodiscard]] Result<nlohmann::json> lossJson(const survey::LossSurvey& survey, const lm::ModelSpec& spec,
                                              const text::Tokenizer& tokenizer);
/// Of that list, a line a head and group.
[[nodiscard]] std::string lossTable(const nlohmann::json& heads);
[[nodiscard]] AnalysisResult lossFiles(const nlohmann::json& heads, const std::string& provenance);

} // namespace headscope::cli
