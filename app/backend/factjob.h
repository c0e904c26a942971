// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is known of heads besides a survey, found out in steps, so that clicks come in between. Worker thread.

#include "app/backend/state.h"
#include "app/backend/values/survey.h"
#include "app/workbench/factrun.h"

#include <chrono>
#include <optional>

namespace headscope::app {

class FactJob
{
public:
    FactJob(ModelState state, HeadFactsAsk ask) : m_state(std::move(state)), m_ask(std::move(ask)) {}

    /// One portion. False when all is known.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    /// Whether a person would like to hear how it goes: every second.
    [[nodiscard]] bool hasNews();
    [[nodiscard]] HeadFactsReply reply() const { return {m_state.ablation, m_run->sheet()}; }

private:
    ModelState m_state;
    HeadFactsAsk m_ask;
    std::shared_ptr<Backend::Opened> m_model;
    std::optional<FactRun> m_run;
    std::chrono::steady_clock::time_point m_told = std::chrono::steady_clock::now();
};

} // namespace headscope::app
