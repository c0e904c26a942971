// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A survey of many texts that runs in steps, so that clicks come in between, and continues where it was stopped as far
// as the session has it. Worker thread.

#include "app/backend/models.h"
#include "app/backend/values/surveyvalues.h"
#include "app/workbench/survey/surveywork.h"

#include <memory>
#include <optional>

namespace headscope::app {

/// What the workbench is asked for it.
[[nodiscard]] SurveyRequest surveyRequest(const SurveySource& ask, const ModelState& model, Models& models);

class SurveyJob
{
public:
    SurveyJob(ModelState state, SurveySource ask) : m_state(std::move(state)), m_ask(std::move(ask)) {}

    /// Some batches. False when all texts are measured, and stored where a session is open and has room.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    /// Stores what is measured, for one that is stopped.
    [[nodiscard]] Result<void> keep(Models& models);
    /// Whether a person would like to hear how it goes: every two seconds.
    [[nodiscard]] bool isTimeToTell();
    /// What came out by now. With places it takes a moment, since their texts are read again.
    [[nodiscard]] Result<SurveyReply> reply(bool withPlaces) const;

private:
    [[nodiscard]] Result<void> start(Models& models, const Control& control);
    /// The run writes to the session with which it began, so it ends when that is not the open one any more.
    [[nodiscard]] bool sameSession(Models& models) const;
    ModelState m_state;
    SurveySource m_ask;
    std::shared_ptr<Opened> m_model;
    std::optional<SurveyRun> m_run;
    std::filesystem::path m_session;                ///< empty: none
    std::vector<std::string> m_problems;            ///< why it is not stored
    std::chrono::steady_clock::time_point m_told{}; ///< the first time at once: what the vocabulary lacks
};

} // namespace headscope::app
