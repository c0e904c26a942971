// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey of many texts that runs in steps, so that clicks are served in between, and resumes from the results stored
// in the session. Worker thread.

#include "app/backend/models.h"
#include "app/backend/values/surveyvalues.h"
#include "app/workbench/survey/surveywork.h"

#include <memory>
#include <optional>

namespace headscope::app {

/// Returns the workbench request for a survey.
[[nodiscard]] SurveyRequest surveyRequest(const SurveySource& ask, const ModelState& model, Models& models);

class SurveyJob
{
public:
    SurveyJob(ModelState state, SurveySource ask) : m_state(std::move(state)), m_ask(std::move(ask)) {}

    /// Processes some batches. Returns false when all texts are measured, and stored if a session is open and has room.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    /// Stores the results so far, for a survey that is stopped.
    [[nodiscard]] Result<void> keep(Models& models);
    /// Returns whether to send an intermediate reply: every two seconds.
    [[nodiscard]] bool isReportDue();
    /// Returns the results so far. With places it takes longer, since their texts are read again.
    [[nodiscard]] Result<SurveyReply> reply(bool withPlaces) const;

private:
    [[nodiscard]] Result<void> start(Models& models, const Control& control);
    /// Returns whether the session with which the run began is still open; the run writes to that one and ends with it.
    [[nodiscard]] bool sameSession(Models& models) const;
    ModelState m_state;
    SurveySource m_ask;
    std::shared_ptr<Opened> m_model;
    std::optional<SurveyRun> m_run;
    std::filesystem::path m_session;                ///< empty: no session
    std::vector<std::string> m_problems;            ///< why results are not stored
    std::chrono::steady_clock::time_point m_told{}; ///< of the last reply; the first is sent at once, for unknown words
};

} // namespace headscope::app
