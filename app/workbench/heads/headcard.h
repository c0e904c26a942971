// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A page about a head: HTML without scripts, which browsers can print and Qt can draw. All text from files is escaped.
// Any thread.

#include "app/workbench/heads/headfacts.h"
#include "core/survey/similar.h"
#include "sessions/surveyrecords.h"

#include <span>
#include <string>
#include <vector>

namespace headscope::app {

/// Returns the traits for comparing heads: mean shares of the survey and the distance profile.
[[nodiscard]] std::vector<survey::HeadTraits> traitsOf(const sessions::StoredSurvey& survey);

/// Returns the traits for comparing heads by function: the cost of removing each on these tasks. Includes only heads
/// that were removed on all of them and cost at least one example in twenty on one.
[[nodiscard]] std::vector<survey::HeadTraits> costTraitsOf(const FactSheet& facts, std::span<const std::string> tasks);
/// Returns the tasks on which both contain the cost of a removal.
[[nodiscard]] std::vector<std::string> tasksOfBoth(const FactSheet& first, const FactSheet& second);

struct CardText {
    std::string model;                ///< "tiny-transformer, llama, fp32, cpu"
    std::string otherModel;           ///< model of the survey `other`
    const FactSheet* facts = nullptr; ///< further facts about the heads
    double threshold = 0.5;           ///< smallest score that becomes a label
    UniformScores uniform{};          ///< baselines for gather and aggregate scores over these texts
    bool linked = false;              ///< places are links to "place:" and their index in the survey
};

/// Returns one page per named head (none named: every head), with its labels, removal costs, metrics, distance profile,
/// neighbours, and places as text. `other`: survey of another model on the same texts, for neighbours there; null:
/// none.
[[nodiscard]] std::string headCards(const sessions::StoredSurvey& survey, std::span<const std::string> heads,
                                    const CardText& text, const sessions::StoredSurvey* other = nullptr);

/// Converts text to HTML: markup is escaped, and invisible or direction-changing characters are shown as codes.
[[nodiscard]] std::string asHtml(std::string_view text);

} // namespace headscope::app
