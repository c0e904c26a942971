// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How likely each token of a prompt was: one run as things are and, with heads off, one with all of them. Worker
// thread only.

#include "app/backend/state.h"
#include "app/backend/values/promptlogprobs.h"

namespace headscope::app {

class LogProbJob
{
public:
    LogProbJob(const ModelState& now, Prompt prompt);

    /// One run; false: that was all.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    [[nodiscard]] static bool hasNews() { return false; }
    [[nodiscard]] const PromptLogProbs& reply() const { return m_reply; }

private:
    [[nodiscard]] Result<void> start(Backend::State& state);
    [[nodiscard]] Result<void> run(const Control& control);

    PromptLogProbs m_reply;
    Prompt m_prompt;
    std::shared_ptr<Backend::Opened> m_model;
    std::vector<int> m_ids;
    bool m_baseline = false; ///< all heads on: this run is next
};

} // namespace headscope::app
