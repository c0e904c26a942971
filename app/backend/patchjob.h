// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of patches in steps: what a person looks at comes in between. Worker thread only.

#include "app/backend/promptpairs.h"
#include "app/backend/values/patch.h"
#include "core/engine/questions/patchrun.h"

namespace headscope::app {

[[nodiscard]] engine::PatchAsked askedOf(const PatchQuestion& question);

/// How many are patched on each pair.
[[nodiscard]] Result<std::size_t> countOf(const AskedPairs& asked, const PatchQuestion& question);

class PatchJob
{
public:
    explicit PatchJob(PatchQuestion question) { m_reply.question = std::move(question); }

    /// Some cells; false: that was all.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    /// Whether reply() tells of more pairs than when this was last asked.
    [[nodiscard]] bool hasNews();
    [[nodiscard]] const PatchReply& reply() const { return m_reply; }

private:
    [[nodiscard]] Result<void> start(Backend::State& state);
    void fill();

    PatchReply m_reply;
    std::optional<AskedPairs> m_asked;
    std::unique_ptr<engine::PatchRun> m_run; ///< of the model and the edits of m_asked
    int m_told = 0;
};

} // namespace headscope::app
