// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/factjob.h"

#include "app/backend/surveyjob.h"

namespace headscope::app {

Result<bool> FactJob::step(Backend::State& state, const Control& control)
{
    if (!m_run) {
        auto model = state.opened(m_state.side);
        if (!model.has_value())
            return model.error();
        m_model = std::move(*model);
        auto run = FactRun::open(
            *m_model, state.options(),
            {.texts = surveyRequest(m_ask.texts, m_state, state), .heads = m_ask.heads, .tasks = m_ask.tasks},
            [this, &state](const std::string& task) { return state.benchmark(*m_model, task, m_ask.limit); }, control);
        if (!run.has_value())
            return run.error();
        m_run = std::move(*run);
        return true;
    }
    return m_run->step(state.session(), control);
}

bool FactJob::hasNews()
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_run || now - m_told < std::chrono::seconds(1))
        return false;
    m_told = now;
    return true;
}

} // namespace headscope::app
