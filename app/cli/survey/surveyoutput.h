// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey as JSON, as a table, and as files. Main thread.

#include "app/cli/why/analysisfiles.h"
#include "app/workbench/heads/headcolumns.h"
#include "sessions/surveyrecords.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headscope::cli {

/// Returns heads with the values of every metric, distance profile and further facts (null: none); top and ordinary
/// places with their text.
[[nodiscard]] nlohmann::json surveyJson(const sessions::StoredSurvey& survey, const app::FactSheet* facts);
/// Returns all columns for that many heads.
[[nodiscard]] std::string surveyTable(const std::vector<std::string>& heads,
                                      const std::vector<app::HeadColumn>& columns, std::size_t most);
/// .csv: one line per head and metric. .safetensors: survey.METRIC.mean and .deviation of all heads, survey.profile.
[[nodiscard]] AnalysisResult surveyFiles(const sessions::StoredSurvey& survey, const app::FactSheet* facts,
                                         const std::string& provenance);

} // namespace headscope::cli
