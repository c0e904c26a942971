// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What rankings of all heads would take on this machine, before one is begun: from a few runs of one small part of the
// benchmark. Lives on the thread that runs the model.

#include "app/workbench/heads/rankcost.h"
#include "app/workbench/models/openmodel.h"
#include "core/engine/ranking/attribution.h"
#include "core/engine/scoring/benchmark.h"

#include <optional>
#include <vector>

namespace headscope::app {

/// Runs one portion of the benchmark with nothing off, with a head of the first and with one of the last layer off,
/// and the gradients of one example, and counts from these. A step that was stopped is done again.
class RankForecasting
{
public:
    /// Model and benchmark outlive this. `steps`: of an estimate, see engine::EstimateOptions.
    RankForecasting(OpenModel& open, const engine::Benchmark& benchmark, int steps);
    /// One run. False when all are done.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Once all steps are done.
    [[nodiscard]] RankForecast forecast() const;

private:
    [[nodiscard]] Result<double> secondsWithout(const interventions::InterventionSet& set, const Control& control);
    [[nodiscard]] double removalSeconds() const;

    OpenModel* m_open;
    const engine::Benchmark* m_benchmark;
    int m_steps;
    std::vector<double> m_seconds; ///< of a portion: whole, from the first layer on, from the last
    std::vector<bool> m_rows;      ///< of the portion
    double m_portions = 0;         ///< of the whole benchmark
    std::optional<engine::EstimateCost> m_estimate;
};

} // namespace headscope::app
