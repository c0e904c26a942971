// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges around a part of a model in steps: what a person looks at comes in between. Worker thread only.

#include "app/backend/promptpairs.h"
#include "app/backend/values/edges.h"
#include "core/engine/questions/edgerun.h"

namespace headscope::app {

/// How many are traced on each pair; at most.
[[nodiscard]] Result<std::size_t> countOf(const AskedPairs& asked, const EdgeQuestion& question);

class EdgeJob
{
public:
    explicit EdgeJob(EdgeQuestion question) { m_reply.question = std::move(question); }

    /// Some edges; false: that was all.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    /// Whether reply() tells of more pairs than when this was last asked.
    [[nodiscard]] bool hasNews();
    [[nodiscard]] const EdgeReply& reply() const { return m_reply; }

private:
    [[nodiscard]] Result<void> start(Backend::State& state);
    void fill();

    EdgeReply m_reply;
    std::optional<AskedPairs> m_asked;
    std::unique_ptr<engine::EdgeRun> m_run; ///< of the model and the edits of m_asked
    int m_told = 0;
};

} // namespace headscope::app
