// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs one timed workload for `headscope-cli bench`. Loads the model itself, because loading time is part of the
// result. Worker thread.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace headscope::engine {

struct BenchOptions {
    std::string workload;
    std::filesystem::path model;    ///< a folder
    std::filesystem::path requests; ///< a file of format headscope-bench-request/1
    std::string device = "cpu";
    std::string dtype = "fp32";
    int threads = 0; ///< 0: chosen by the size of the model
    int repeat = 1;  ///< timed runs after one warm-up
    int heads = 0;   ///< kv-sweep: only this many heads, spread evenly; 0: all. maps: 1: one head, from the stored
                     ///< stream before its layer
    int clicks = 0;  ///< kv-click, mc-letter, mc-text: only the first N ablations; 0: all
    int length = 0;  ///< maps: the first N ids of the prompt; 0: all
    int top = 10;    ///< race: heads to find
    double work = 1; ///< race: maximum share of the exact sweep's runs
    double agreement =
        1; ///< estimate: stop at this rank correlation between two sets of as many examples; 1: use all examples
    std::int64_t cacheBytes = std::int64_t{8} << 30; ///< budget for activations stored between ablations
    std::int64_t memory = 0;     ///< total for weights, stored activations and the largest batch; 0: no limit
    std::int64_t keptPacked = 0; ///< maximum bytes of quantized weights in the cache folder; 0: none are cached

    std::function<void()> aboutToRun; ///< before each timed ablation of kv-click, mc-letter, mc-text or run of maps
    std::function<void(double)> ran;  ///< after it, with its CPU time in seconds
};

struct BenchRequest;

/// Returns one result of format headscope-bench-result/1. Fails for a request that does not fit the model; never
/// returns a partial result.
[[nodiscard]] Result<nlohmann::json> bench(const BenchOptions& options, const Control& control);
/// Runs a request that is already loaded, of the options' workload.
[[nodiscard]] Result<nlohmann::json> bench(const BenchOptions& options, const BenchRequest& request,
                                           const Control& control);

} // namespace headscope::engine
