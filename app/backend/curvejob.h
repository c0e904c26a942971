// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The score while the heads of a ranking go one after the other, beside as many heads drawn at random. Worker thread
// only.

#include "app/backend/state.h"

#include <optional>

namespace headscope::app {

struct CurveAsk {
    Side side = Side::A;
    std::string task;
    int limit = 0; ///< examples; 0: all
    std::vector<interventions::HeadRef> order;
    int draws = 0;
    std::uint64_t seed = 0;
};

class CurveJob
{
public:
    explicit CurveJob(CurveAsk ask);

    /// Some rows of a measurement; false: that was all.
    [[nodiscard]] Result<bool> step(Backend::State& state, const Control& control);
    /// Whether the last step ended a measurement.
    [[nodiscard]] bool hasNews() const { return !m_partial; }
    [[nodiscard]] const RemovalCurveReply& reply() const { return m_reply; }

private:
    /// One measurement to make: the first `count` of an order.
    struct Measurement {
        std::size_t order = 0; ///< 0: the ranking; else a draw
        int count = 0;
    };
    [[nodiscard]] Result<void> start(Backend::State& state);
    [[nodiscard]] interventions::InterventionSet setOf(const Measurement& measurement) const;
    [[nodiscard]] Result<double> scoreOf(const engine::Rows& rows);

    CurveAsk m_ask;
    std::shared_ptr<Backend::Opened> m_model;
    std::shared_ptr<const engine::Benchmark> m_benchmark;
    std::vector<std::vector<interventions::HeadRef>> m_orders;
    std::vector<Measurement> m_todo; ///< the points from left to right
    std::size_t m_next = 0;
    std::optional<engine::Rows> m_partial; ///< of the next measurement, which is not over
    RemovalCurveReply m_reply;
};

} // namespace headscope::app
