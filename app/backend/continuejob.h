// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model that writes on, a token a step. Worker thread only.

#include "app/backend/state.h"
#include "app/workbench/continuation.h"

#include <optional>

namespace headscope::app {

class ContinueJob
{
public:
    ContinueJob(Side side, Prompt prompt, interventions::InterventionSet ablation, ContinueRequest request);

    /// One token; false: there are no more.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    [[nodiscard]] static bool hasNews() { return true; }
    /// The last step's token, and at the end why there are no more.
    [[nodiscard]] const ContinuationPart& reply() const { return m_part; }

private:
    [[nodiscard]] Result<void> start(Backend::State& state);
    [[nodiscard]] ContinuedToken continuedToken(const Continuation::Step& step) const;

    Side m_side;
    Prompt m_prompt;
    interventions::InterventionSet m_ablation;
    ContinueRequest m_request;
    std::shared_ptr<Backend::Opened> m_model;
    std::optional<Continuation> m_continuation;
    ContinuationPart m_part;
};

} // namespace headscope::app
