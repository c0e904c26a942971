// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The map of a head. Of a long prompt first that of its beginning, since no token reads a later one: layers over the
// whole text take longer than a person waits. Worker thread only.

#include "app/backend/state.h"

namespace headscope::app {

class PatternJob
{
public:
    PatternJob(Side side, Prompt prompt, PatternRequest request);

    /// A beginning, or the whole map; false: that was all.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    [[nodiscard]] static bool hasNews() { return true; }
    /// What the last step read; once.
    [[nodiscard]] PatternReply reply() { return std::move(m_reply); }

private:
    /// How many tokens are read next.
    [[nodiscard]] Result<int> next(Backend::State& state) const;
    [[nodiscard]] Result<void> readBeginning(Backend::State& state, int tokens, const Control& control);
    [[nodiscard]] Result<void> readWhole(Backend::State& state, const Control& control);

    Side m_side;
    Prompt m_prompt;
    PatternRequest m_request;
    int m_read = 0; ///< tokens whose rows were told
    PatternReply m_reply;
};

} // namespace headscope::app
