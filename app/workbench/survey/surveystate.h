// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts the progress of a survey, and blocks of it that were measured separately, to session data. Any thread.

#include "core/survey/survey.h"

#include <string>
#include <string_view>

namespace headscope::app {

/// Returns the state as JSON.
[[nodiscard]] std::string stateText(const survey::SurveyState& state);
[[nodiscard]] Result<survey::SurveyState> surveyStateOf(const std::string& text);

/// Returns the whole content of a block as bytes.
[[nodiscard]] std::string blockText(const survey::SurveyedBlock& block);
/// Decodes a block. Fails for bytes that blockText() does not produce with the same counts of places.
[[nodiscard]] Result<survey::SurveyedBlock> blockOf(std::string_view text, survey::PlaceCounts places);

} // namespace headscope::app
