// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The member `memory` that score and rank report: what a run was forecast to take, and what it took. Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "core/engine/scoring/portion.h"
#include "core/lm/device/memorymeter.h"

#include <functional>
#include <optional>

namespace headscope::cli {

/// The portions in which a benchmark's examples are run; what is kept is of one of them.
using PortionsOf = std::function<std::vector<engine::Portion>(const engine::Benchmark&)>;

/// Stands while the run continues. In bytes of weights and tensors (engine::RunMemory); the program itself takes 150 to
/// 350 MB besides.
class MemoryReport
{
public:
    /// Of the largest of the benchmarks, which run one after the other, clean and under `set`; none: a run that is not
    /// forecast. Says the forecast on stderr where a budget was given, or where weights and a full cache would take
    /// more than half of what is free. `portionsOf`: a run that several processes share.
    MemoryReport(const Context& context, const OpenModel& open,
                 const std::vector<std::shared_ptr<const engine::Benchmark>>& benchmarks,
                 const interventions::InterventionSet& set, const PortionsOf& portionsOf = {});

    /// budget (null: none was given), forecast (null: there is none) and measured: the most that was taken so far.
    /// Where a budget was given, the last is said on stderr too.
    [[nodiscard]] nlohmann::json toJson() const;

private:
    const Context& m_context;
    std::int64_t m_weights = 0;
    std::optional<std::int64_t> m_forecast;
    std::optional<lm::MemoryMeter> m_meter; ///< after the forecast, which runs something itself
};

} // namespace headscope::cli
