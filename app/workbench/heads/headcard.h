// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is known of a head, on one page: HTML without scripts, which a browser prints and Qt draws. All texts of files
// are in it as plain text. Any thread.

#include "app/workbench/heads/headfacts.h"
#include "core/survey/similar.h"
#include "sessions/surveyrecords.h"

#include <span>
#include <string>
#include <vector>

namespace headscope::app {

/// By what heads are compared: mean shares of the survey and the distance profile.
[[nodiscard]] std::vector<survey::HeadTraits> traitsOf(const sessions::StoredSurvey& survey);

/// By what heads are compared that do the same work: what the removal of each costs on these tasks. Only of heads that
/// were removed on all of them and cost at least one example in twenty on one.
[[nodiscard]] std::vector<survey::HeadTraits> costTraitsOf(const FactSheet& facts, std::span<const std::string> tasks);
/// The tasks that both know the cost of a removal on.
[[nodiscard]] std::vector<std::string> tasksOfBoth(const FactSheet& first, const FactSheet& second);

struct CardText {
    std::string model;                ///< "tiny-transformer, llama, fp32, cpu"
    std::string otherModel;           ///< that `other` is a survey of
    const FactSheet* facts = nullptr; ///< what else is known of the heads
    double threshold = 0.5;           ///< from which on a score is a label
    UniformScores uniform{};          ///< what gather and aggregate scores over these texts are seen beside
    bool linked = false;              ///< places are links to "place:" and their index in the survey
};

/// One page a head that is named (none named: every head), each with its labels, what its removal costs, its metrics,
/// distance profile, neighbours, and places as text. `other`: of another model on the same texts, for neighbours there;
/// null: none.
[[nodiscard]] std::string headCards(const sessions::StoredSurvey& survey, std::span<const std::string> heads,
                                    const CardText& text, const sessions::StoredSurvey* other = nullptr);

/// Text as HTML: what would be markup is written out, and what cannot be seen or turns the line is shown as a code.
[[nodiscard]] std::string asHtml(std::string_view text);

} // namespace headscope::app
