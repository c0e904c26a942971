// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A ranking of heads that runs in steps, so that clicks are served in between, and resumes where it was stopped. Worker
// thread.

#include "app/backend/models.h"
#include "app/workbench/heads/headranking.h"

#include <memory>

namespace headscope::app {

class RankJob
{
public:
    explicit RankJob(RankRequest request) : m_request(std::move(request)) {}

    /// Measures one head (or a baseline, some layers of an estimate, or all heads at once if the method needs no more).
    /// Stores results in the session as they arrive. Returns false when all heads are measured.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    /// Returns results so far; exact rankings grow by heads, estimates by examples, others are complete.
    [[nodiscard]] const std::vector<HeadValue>& values() const { return m_values; }
    /// Returns the identity of the question in a session.
    [[nodiscard]] const std::string& identity() const { return m_identity; }
    /// Returns whether the values are included with the program.
    [[nodiscard]] bool isShipped() const { return m_shipped; }
    /// Whether this job can go on: its model is still the one that is open, its benchmark still what the task says.
    [[nodiscard]] bool fits(Models& models) const;

private:
    [[nodiscard]] Result<void> start(Models& models);
    void testTogether();
    /// What comes with the program, where nothing was measured here yet.
    [[nodiscard]] Result<void> takeShipped(Models& models);
    [[nodiscard]] HeadValue valueOf(const engine::RankedHead& ranked) const;

    RankRequest m_request;
    std::shared_ptr<Opened> m_model;
    std::shared_ptr<const engine::Benchmark> m_benchmark;
    std::unique_ptr<HeadRanking> m_ranking;
    std::vector<HeadValue> m_values;
    std::string m_identity;
    bool m_shipped = false;
    std::int64_t m_known = 0; ///< HeadRanking::known() of these
};

} // namespace headscope::app
