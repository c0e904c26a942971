// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long work reports and is stopped: a stop token and a progress callback, passed as one value.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace headscope {

struct Progress {
    std::string stage;     ///< the current activity, in words: "scoring toy_kv"
    std::int64_t done = 0; ///< units finished
    std::int64_t total = 0;
};

/// Passed to every long call. Checked between layers, batches and heads.
struct Control {
    std::stop_token stop;
    std::function<void(const Progress&)> report; ///< may be empty; called on the working thread

    [[nodiscard]] bool stopped() const { return stop.stop_requested(); }
    void progress(const std::string& stage, std::int64_t done, std::int64_t total) const
    {
        if (report)
            report({stage, done, total});
    }
};

} // namespace headscope
