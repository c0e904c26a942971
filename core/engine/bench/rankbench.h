// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares rankings of heads with the exact sweep on one set of token ids: the workloads `race` and `estimate` of
// `headscope-cli bench`. Worker thread.

#include "core/base/progress.h"
#include "core/engine/bench/benchrequest.h"
#include "core/lm/model.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>

namespace headscope::engine {

struct RankBenchOptions {
    bool race = true;     ///< false: the estimate
    int top = 10;         ///< race
    double work = 1;      ///< race: see RaceOptions
    double agreement = 1; ///< estimate: see EstimateOptions
    std::int64_t cacheBytes = 0;
};

/// Runs the exact sweep over the request's heads, then the race or the estimate on the same items, each with its own
/// preparation, and adds to `line`: `seconds`, `cpu_seconds` (of the second), `exact_seconds`, `exact_cpu_seconds`,
/// `ratio` (of CPU seconds), `examples`, and `work`, `certain`, `same_top` or `agreement`, `spearman_margin`.
[[nodiscard]] Result<void> benchRanking(const BenchRequest& request, const std::shared_ptr<const lm::Model>& model,
                                        const RankBenchOptions& options, const Control& control, nlohmann::json& line);

} // namespace headscope::engine
