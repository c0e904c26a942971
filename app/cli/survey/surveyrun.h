// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey of one model, run to its end, with what removing heads costs where that is asked for. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/heads/headcolumns.h"
#include "app/workbench/survey/surveywork.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// Instead of a task: what removing heads costs on the next tokens of the texts themselves.
inline const std::string kNextToken = "next_token";

struct SurveyWish {
    app::SurveyRequest texts;
    std::vector<std::string> costs; ///< tasks, and kNextToken
    bool facts = false;             ///< also what weights and probes say
};

/// What came out, and what is to be said of it.
struct Surveyed {
    sessions::StoredSurvey result;
    survey::WindowCounts counts;
    std::int64_t known = 0;
    double unknownShare = 0;
    std::string model, provenance;
    std::optional<app::FactSheet> facts;
    app::UniformScores uniform;    ///< what gather and aggregate scores are seen beside
    std::optional<Error> unstored; ///< why the session does not have it, such as a full disk

    [[nodiscard]] std::vector<app::HeadColumn> columns() const;
    [[nodiscard]] std::vector<std::string> heads() const;
};

/// Says which share of the first words a vocabulary lacks, before the run.
void sayVocabulary(const Context& context, const app::VocabularyShare& words);
/// Measures a part of the survey's blocks of texts into the session, and prints what was done.
[[nodiscard]] Result<void> surveyPart(const Context& context, const app::SurveyRequest& request, OpenModel& open,
                                      const app::WorkPart& part);
/// What is measured when it is stopped or fails is stored in the session before it ends. Processes with the same
/// session share the blocks of texts.
[[nodiscard]] Result<Surveyed> surveyModel(const Context& context, const SurveyWish& wish, OpenModel& open);

} // namespace headscope::cli
