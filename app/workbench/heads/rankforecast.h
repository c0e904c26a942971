// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Predicts the cost of rankings of all heads on this machine before one starts, from a few runs of a small part of the
// benchmark. Lives on the thread that runs the model.

#include "app/workbench/heads/rankcost.h"
#include "app/workbench/models/openmodel.h"
#include "core/engine/ranking/attribution.h"
#include "core/engine/scoring/benchmark.h"

#include <optional>
#include <vector>

namespace headscope::app {

/// Runs one portion of the benchmark without ablation, with a head of the first and with one of the last layer ablated,
/// and the gradients of one example, and extrapolates. A step that was stopped is repeated.
class RankForecasting
{
public:
    /// The model and the benchmark must outlive this. `steps`: of an estimate, see engine::EstimateOptions.
    RankForecasting(OpenModel& open, const engine::Benchmark& benchmark, int steps);
    /// Performs one run. Returns false when all are done.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Valid once all steps are done.
    [[nodiscard]] RankForecast forecast() const;

private:
    [[nodiscard]] Result<double> secondsWithout(const interventions::InterventionSet& set, const Control& control);
    [[nodiscard]] double removalSeconds() const;

    OpenModel* m_open;
    const engine::Benchmark* m_benchmark;
    int m_steps;
    std::vector<double> m_seconds; ///< per portion: whole, from the first layer on, from the last
    std::vector<bool> m_rows;      ///< of the portion
    double m_portions = 0;         ///< in the whole benchmark
    std::optional<engine::EstimateCost> m_estimate;
};

} // namespace headscope::app
