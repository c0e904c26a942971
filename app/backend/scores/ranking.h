// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A ranking of heads that runs in steps, so that clicks come in between, and continues where it was stopped. Worker
// thread.

#include "app/backend/models.h"
#include "app/workbench/heads/headranking.h"

#include <memory>

namespace headscope::app {

class RankJob
{
public:
    explicit RankJob(RankRequest request) : m_request(std::move(request)) {}

    /// One head (or a baseline, some layers of an estimate, or all heads at once where the method needs no more).
    /// Results go to the session as they come. False when all are in.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    /// What is known so far; exact rankings grow by heads, estimates by examples, the others come whole.
    [[nodiscard]] const std::vector<HeadValue>& values() const { return m_values; }
    /// Of the question, as a session knows it.
    [[nodiscard]] const std::string& identity() const { return m_identity; }
    /// Whether this job can go on: its model is still the one that is open, its benchmark still what the task says.
    [[nodiscard]] bool fits(Models& models) const;

private:
    [[nodiscard]] Result<void> start(Models& models);
    void testTogether();
    [[nodiscard]] HeadValue valueOf(const engine::RankedHead& ranked) const;

    RankRequest m_request;
    std::shared_ptr<Opened> m_model;
    std::shared_ptr<const engine::Benchmark> m_benchmark;
    std::unique_ptr<HeadRanking> m_ranking;
    std::vector<HeadValue> m_values;
    std::string m_identity;
    std::int64_t m_known = 0; ///< HeadRanking::known() of these
};

} // namespace headscope::app
