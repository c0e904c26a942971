// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/workportion.h"

#include <algorithm>

namespace headscope::app {

std::int64_t portionTokens(const lm::ModelSpec& spec)
{
    constexpr std::int64_t kMultiplications = std::int64_t{50'000'000'000};
    return kMultiplications / std::max<std::int64_t>(spec.parameters, 1);
}

Result<bool> runPortion(OpenModel& open, const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                        engine::Rows& rows, const Control& control)
{
    const engine::Portion portion = engine::nextPortion(benchmark, rows, portionTokens(open.spec()));
    if (!portion.rows.empty())
        if (const auto ran =
                engine::runOnly(portion.rows, benchmark, *open.scorer, set, open.donors, rows, {}, {control.stop, {}});
            !ran.has_value())
            return ran.error();
    return !engine::nextPortion(benchmark, rows, 0).rows.empty();
}

} // namespace headscope::app
