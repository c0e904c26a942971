// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of heads besides a survey, found out in steps, so that clicks come in between. Worker thread.

#include "app/backend/models.h"
#include "app/backend/scores/surveyjob.h"
#include "app/backend/values/surveyvalues.h"
#include "app/workbench/heads/factrun.h"

#include <chrono>
#include <optional>

namespace headscope::app {

namespace {

class FactJob
{
public:
    FactJob(ModelState state, HeadFactsOptions ask) : m_state(std::move(state)), m_ask(std::move(ask)) {}

    /// One portion. False when all is known.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    /// Whether a person would like to hear how it goes: every second.
    [[nodiscard]] bool hasNews();
    [[nodiscard]] HeadFactsReply reply() const { return {m_state.ablation, m_run->sheet()}; }

private:
    ModelState m_state;
    HeadFactsOptions m_ask;
    std::shared_ptr<Opened> m_model;
    std::optional<FactRun> m_run;
    std::chrono::steady_clock::time_point m_told = std::chrono::steady_clock::now();
};

} // namespace

Result<bool> FactJob::step(Models& models, const Control& control)
{
    if (!m_run) {
        auto model = models.opened(m_state.side);
        if (!model.has_value())
            return model.error();
        m_model = std::move(*model);
        auto run = FactRun::open(
            *m_model, models.options(),
            {.texts = surveyRequest(m_ask.texts, m_state, models), .heads = m_ask.heads, .tasks = m_ask.tasks},
            [this, &models](const std::string& task) { return models.benchmark(*m_model, task, m_ask.limit); },
            control);
        if (!run.has_value())
            return run.error();
        m_run = std::move(*run);
        return true;
    }
    return m_run->step(models.session(), control);
}

bool FactJob::hasNews()
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_run || now - m_told < std::chrono::seconds(1))
        return false;
    m_told = now;
    return true;
}

Job<HeadFactsReply> jobOf(const HeadFactsRequest& request)
{
    return inSteps<HeadFactsReply>(engine::Urgency::Background, std::make_shared<FactJob>(request.state, request.ask));
}

} // namespace headscope::app
