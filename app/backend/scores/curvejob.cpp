// SPDX-License-Identifier: GPL-3.0-or-later
// The score while the heads of a ranking go one after the other, beside as many heads drawn at random. Worker thread
// only.

#include "app/backend/models.h"
#include "app/workbench/scores/workportion.h"
#include "core/base/shuffle.h"
#include "core/engine/ranking/rank.h"

#include <algorithm>
#include <optional>

namespace headscope::app {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

class CurveJob
{
public:
    explicit CurveJob(RemovalRequest ask);

    /// Some rows of a measurement; false: that was all.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    /// Whether the last step ended a measurement.
    [[nodiscard]] bool hasNews() const { return !m_partial; }
    [[nodiscard]] const RemovalCurveReply& reply() const { return m_reply; }

private:
    /// One measurement to make: the first `count` of an order.
    struct Measurement {
        std::size_t order = 0; ///< 0: the ranking; else a draw
        int count = 0;
    };
    [[nodiscard]] Result<void> start(Models& models);
    [[nodiscard]] interventions::InterventionSet setOf(const Measurement& measurement) const;
    [[nodiscard]] Result<double> scoreOf(const engine::Rows& rows);

    RemovalRequest m_ask;
    std::shared_ptr<Opened> m_model;
    std::shared_ptr<const engine::Benchmark> m_benchmark;
    std::vector<std::vector<interventions::HeadRef>> m_orders;
    std::vector<Measurement> m_todo; ///< the points from left to right
    std::size_t m_next = 0;
    std::optional<engine::Rows> m_partial; ///< of the next measurement, which is not over
    RemovalCurveReply m_reply;
};

// 0, 1, 2, 3, 4, then wider and wider steps: the first heads tell most.
std::vector<int> counts(int most)
{
    std::vector<int> all;
    for (int count = 0; count < most; count += std::max(1, count / 4))
        all.push_back(count);
    all.push_back(most);
    return all;
}

} // namespace

CurveJob::CurveJob(RemovalRequest ask) : m_ask(std::move(ask))
{
    m_reply.task = m_ask.task;
}

Result<void> CurveJob::start(Models& models)
{
    const auto model = models.opened(m_ask.side);
    if (!model.has_value())
        return model.error();
    const auto benchmark = models.benchmark(**model, m_ask.task, m_ask.limit);
    if (!benchmark.has_value())
        return benchmark.error();
    m_model = *model;
    m_benchmark = *benchmark;
    m_orders.push_back(m_ask.order);
    std::mt19937_64 random(m_ask.seed);
    for (int draw = 0; draw < m_ask.draws; ++draw) {
        std::vector<HeadRef> all = engine::allHeads((*model)->loaded.model->spec());
        shuffle(all, random);
        m_orders.push_back(std::move(all));
    }
    for (const int count : counts(static_cast<int>(m_ask.order.size())))
        for (std::size_t which = 0; which < (count == 0 ? 1 : m_orders.size()); ++which)
            m_todo.push_back({which, count});
    m_reply.examples = static_cast<int>(m_benchmark->set().examples.size());
    m_reply.draws = m_ask.draws;
    return {};
}

InterventionSet CurveJob::setOf(const Measurement& measurement) const
{
    std::vector<interventions::Intervention> items;
    const std::vector<HeadRef>& order = m_orders[measurement.order];
    for (int i = 0; i < measurement.count && i < static_cast<int>(order.size()); ++i)
        items.push_back(interventions::EditHead{.head = order[static_cast<std::size_t>(i)]});
    return InterventionSet(std::move(items));
}

Result<double> CurveJob::scoreOf(const engine::Rows& rows)
{
    const auto scores = tasks::aggregate(m_benchmark->set(), rows.results, {.bootstrapResamples = 0});
    if (!scores.has_value())
        return scores.error();
    if (scores->empty())
        return inputError("No row of '" + m_reply.task + "' could be scored, so there is no curve.");
    m_reply.metric = scores->front().metric;
    return scores->front().value;
}

Result<bool> CurveJob::step(Models& models, const Control& control)
{
    if (!m_model)
        if (const auto started = start(models); !started.has_value())
            return started.error();
    const Measurement& measurement = m_todo[m_next];
    if (!m_partial)
        m_partial = m_benchmark->emptyRows();
    const auto ran = runPortion(*m_model, *m_benchmark, setOf(measurement), *m_partial, control);
    if (!ran.has_value())
        return ran.error();
    if (*ran)
        return true;
    const auto score = scoreOf(*m_partial);
    if (!score.has_value())
        return score.error();
    m_partial.reset();
    if (measurement.count == 0)
        m_reply.baseline = *score;
    if (measurement.order == 0)
        m_reply.points.push_back({.heads = measurement.count, .top = *score, .random = {}});
    if (measurement.order > 0 || measurement.count == 0)
        m_reply.points.back().random.push_back(*score);
    ++m_next;
    m_reply.final = m_next == m_todo.size();
    control.progress("removing heads", static_cast<std::int64_t>(m_next), static_cast<std::int64_t>(m_todo.size()));
    return !m_reply.final;
}

Job<RemovalCurveReply> jobOf(const RemovalRequest& request)
{
    return inSteps<RemovalCurveReply>(engine::Urgency::Background, std::make_shared<CurveJob>(request));
}

} // namespace headscope::app
