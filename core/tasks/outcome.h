// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's outcome on one example: the input of every metric. Values; any thread.

#include <string>
#include <vector>

namespace headscope::tasks {

struct Outcome {
    std::vector<double> logLikelihoods; ///< one per continuation, nats
    std::vector<bool> greedy;           ///< one per continuation: every token is the model's first choice
    std::string generated;              ///< Generation: the text up to the stop string
    bool truncated = false;             ///< the context was cut from the left to fit
    std::string rejected;               ///< why the example could not be scored, one sentence; empty: it was scored

    bool operator==(const Outcome&) const = default;
};

} // namespace headscope::tasks
