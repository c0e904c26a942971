// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One timed workload of the performance yardstick: what `headscope-cli bench` runs. Loads the model itself, because the
// time that takes is part of the answer. Worker thread.

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
    int heads = 0;   ///< kv-sweep: only that many heads, spread evenly; 0: all. maps: 1: one head, from the kept stream
                     ///< before its layer
    int clicks = 0;  ///< kv-click, mc-letter, mc-text: only the first N cuts; 0: all
    int length = 0;  ///< maps: the first N ids of the prompt; 0: all
    int top = 10;    ///< race: heads to find
    double work = 1; ///< race: the largest share of the exact sweep's runs
    double agreement =
        1; ///< estimate: rank correlation with as many other examples at which no more are taken; 1: all are
    std::int64_t cacheBytes = std::int64_t{8} << 30; ///< budget for what is kept between cuts
    std::int64_t memory = 0;     ///< for weights, what is kept and the largest batch together; 0: no limit
    std::int64_t keptPacked = 0; ///< bytes of quantized weights in the cache folder at most; 0: none are kept

    std::function<void()> aboutToRun; ///< before each timed cut of kv-click, mc-letter, mc-text; each timed run of maps
    std::function<void(double)> ran;  ///< after it: its seconds of processor time
};

struct BenchRequest;

/// The line of format headscope-bench-result/1. Fails for a request that does not fit the model; never a partial
/// result.
[[nodiscard]] Result<nlohmann::json> bench(const BenchOptions& options, const Control& control);
/// With a request that is there already, of the options' workload.
[[nodiscard]] Result<nlohmann::json> bench(const BenchOptions& options, const BenchRequest& request,
                                           const Control& control);

} // namespace headscope::engine
