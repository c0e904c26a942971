// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How far a survey is, and blocks of it that were measured alone, as a session keeps them. Any thread.

#include "core/survey/survey.h"

#include <string>
#include <string_view>

namespace headscope::app {

/// JSON.
[[nodiscard]] std::string stateText(const survey::SurveyState& state);
[[nodiscard]] Result<survey::SurveyState> surveyStateOf(const std::string& text);

/// Bytes that hold all of a block.
[[nodiscard]] std::string blockText(const survey::SurveyedBlock& block);
/// Fails for bytes that blockText() does not make with the same counts of places.
[[nodiscard]] Result<survey::SurveyedBlock> blockOf(std::string_view text, survey::PlaceCounts places);

} // namespace headscope::app
