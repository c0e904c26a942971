// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a survey of one model, including the cost of removing heads if requested. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/heads/headcolumns.h"
#include "app/workbench/survey/surveywork.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// Used in place of a task: the cost of removing heads on the next tokens of the texts themselves.
inline const std::string kNextToken = "next_token";

struct SurveyCommandInput {
    app::SurveyRequest texts;
    std::vector<std::string> costs; ///< tasks, and kNextToken
    bool facts = false;             ///< also scores of weights and probes
};

/// The results and their summary.
struct Surveyed {
    sessions::StoredSurvey result;
    survey::WindowCounts counts;
    std::int64_t known = 0;
    double unknownShare = 0;
    std::string model, provenance;
    std::optional<app::FactSheet> facts;
    app::UniformScores uniform;    ///< baselines of gather and aggregate scores
    std::optional<Error> unstored; ///< why the session does not contain it, such as a full disk

    [[nodiscard]] std::vector<app::HeadColumn> columns() const;
    [[nodiscard]] std::vector<std::string> heads() const;
};

/// Prints the share of the first words that a vocabulary lacks, before the run.
void printVocabularyShare(const Context& context, const app::VocabularyShare& words);
/// Measures a part of the survey's blocks of texts into the session, and prints a summary.
[[nodiscard]] Result<void> surveyPart(const Context& context, const app::SurveyRequest& request, OpenModel& open,
                                      const app::WorkPart& part);
/// Runs the survey. If it is stopped or fails, results so far are stored in the session first. Processes with the same
/// session share the blocks of texts.
[[nodiscard]] Result<Surveyed> surveyModel(const Context& context, const SurveyCommandInput& wish, OpenModel& open);

} // namespace headscope::cli
