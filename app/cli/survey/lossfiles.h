// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loss with and without heads as JSON, as a table, and as files. Main thread.

#include "app/cli/why/analysisfiles.h"
#include "core/survey/loss.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headscope::cli {

/// Returns a list of heads: by group n, loss, change with its interval, and the tokens with the largest increase of
/// loss and their context. Fails if texts can no longer be read.
[[nodiscard]] Result<nlohmann::json> lossJson(const survey::LossSurvey& survey, const lm::ModelSpec& spec,
                                              const text::Tokenizer& tokenizer);
/// Returns that list as text, one line per head and group.
[[nodiscard]] std::string lossTable(const nlohmann::json& heads);
[[nodiscard]] AnalysisResult lossFiles(const nlohmann::json& heads, const std::string& provenance);

} // namespace headscope::cli
