// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The member `memory` in reports of score and rank: the forecast and measured memory of a run. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "core/engine/scoring/portion.h"
#include "core/lm/device/memorymeter.h"

#include <functional>
#include <optional>

namespace headscope::cli {

/// Returns the portions in which a benchmark's examples run; activations are kept for one portion.
using PortionsOf = std::function<std::vector<engine::Portion>(const engine::Benchmark&)>;

/// Exists while the run is in progress. In bytes of weights and tensors (engine::RunMemory); the program itself needs
/// 150 to 350 MB in addition.
class MemoryReport
{
public:
    /// Forecasts the largest of the benchmarks, which run one after the other, clean and under `set`; none: no
    /// forecast. Prints the forecast on stderr if a budget was given, or if weights and a full cache would use more
    /// than half of the free memory. `portionsOf`: for a run that several processes share.
    MemoryReport(const Context& context, const OpenModel& open,
                 const std::vector<std::shared_ptr<const engine::Benchmark>>& benchmarks,
                 const interventions::InterventionSet& set, const PortionsOf& portionsOf = {});

    /// Returns budget (null: none was given), forecast (null: there is none) and measured: the maximum so far. If a
    /// budget was given, also prints the latter on stderr.
    [[nodiscard]] nlohmann::json toJson() const;

private:
    const Context& m_context;
    std::int64_t m_weights = 0;
    std::optional<std::int64_t> m_forecast;
    std::optional<lm::MemoryMeter> m_meter; ///< created after the forecast, which runs the model itself
};

} // namespace headscope::cli
