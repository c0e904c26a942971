// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/rankforecast.h"

#include "app/workbench/scores/workportion.h"
#include "core/base/elapsed.h"
#include "core/engine/ranking/rank.h"

#include <algorithm>
#include <chrono>
#include <span>

namespace headscope::app {

RankForecasting::RankForecasting(OpenModel& open, const engine::Benchmark& benchmark, int steps)
    : m_open(&open), m_benchmark(&benchmark), m_steps(steps)
{
    const engine::Portion portion = engine::nextPortion(benchmark, benchmark.emptyRows(), portionTokens(open.spec()));
    m_rows = portion.rows;
    // Rows that are read off, not tokens: what texts begin with alike is run once in both.
    const auto part = static_cast<double>(std::ranges::count(m_rows, true));
    m_portions = part > 0 ? static_cast<double>(benchmark.set().examples.size()) / part : 0;
}

Result<double> RankForecasting::secondsWithout(const interventions::InterventionSet& set, const Control& control)
{
    engine::Rows rows = m_benchmark->emptyRows();
    const auto begin = std::chrono::steady_clock::now();
    const auto ran =
        engine::runOnly(m_rows, *m_benchmark, *m_open->scorer, set, m_open->donors, rows, {}, {control.stop, {}});
    if (!ran.has_value())
        return ran.error();
    return secondsSince(begin);
}

Result<bool> RankForecasting::step(const Control& control)
{
    if (m_rows.empty())
        return inputError("'" + m_benchmark->set().name + "' has no row that can be scored, so nothing can be timed.");
    const std::vector<interventions::HeadRef> heads = engine::allHeads(m_open->spec());
    constexpr std::size_t kRuns = 3;
    if (m_seconds.size() == kRuns) {
        const auto cost =
            engine::forecastEstimate(*m_benchmark, *m_open->loaded.model, {control.stop, {}}, {.steps = m_steps});
        if (!cost.has_value() && cost.error().kind == Error::Kind::Cancelled)
            return cost.error();
        if (cost.has_value()) // else it cannot be estimated on this task, which is said to whoever tries
            m_estimate = *cost;
        return false;
    }
    const interventions::HeadRef off[kRuns] = {heads.front(), heads.front(), heads.back()};
    const std::span<const interventions::HeadRef> removed(&off[m_seconds.size()], m_seconds.empty() ? 0 : 1);
    const auto seconds = secondsWithout(engine::without({}, removed), control);
    if (!seconds.has_value())
        return seconds.error();
    m_seconds.push_back(*seconds);
    return true;
}

// A run begins again at the layer of the head that is off, so its time lies on a line between the two that were
// measured.
double RankForecasting::removalSeconds() const
{
    const double first = m_seconds[1], last = std::min(m_seconds[2], first);
    const auto layers = static_cast<double>(m_open->spec().layers.size());
    double sum = 0;
    for (const interventions::HeadRef& head : engine::allHeads(m_open->spec()))
        sum += layers < 2 ? first : last + (first - last) * (layers - 1 - head.layer) / (layers - 1);
    return sum * m_portions;
}

RankForecast RankForecasting::forecast() const
{
    const double removals = m_seconds[0] * m_portions + removalSeconds();
    const std::int64_t bytes = m_open->scorer->forecast(m_benchmark->workload(), 0).total();
    RankForecast forecast{.costs = {{.method = RankMethod::Exact, .seconds = removals, .bytes = bytes},
                                    {.method = RankMethod::Race, .seconds = removals, .atMost = true, .bytes = bytes}},
                          .heads = engine::allHeads(m_open->spec()).size(),
                          .examples = m_benchmark->set().examples.size()};
    if (m_estimate)
        forecast.costs.push_back({.method = RankMethod::Estimate,
                                  .seconds = m_estimate->seconds,
                                  .atMost = true,
                                  .bytes = m_open->loaded.resident + m_estimate->bytes});
    return forecast;
}

} // namespace headscope::app
