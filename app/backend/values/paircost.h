// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The estimated cost of a question about two runs, known before it starts. Plain values; any thread.

#include "app/backend/values/edgevalues.h"
#include "app/backend/values/patch.h"

#include <cstdint>

namespace headscope::app {

template <typename Reply> struct Job;

struct PairCost {
    int pairs = 0;
    std::int64_t tokens = 0; ///< tokens in the longest prompt
    std::int64_t runs = 0;   ///< forward passes; an upper bound
    std::int64_t bytes = 0;  ///< memory in addition to the model
    double seconds = 0;      ///< estimated from the measured speed of this processor's matrix products; 0: unknown

    /// Returns whether the answer is fast enough (under 2 s) to run without confirmation.
    [[nodiscard]] bool atOnce() const { return seconds > 0 && seconds < 2; }
};

/// Requests the cost of activation patching.
struct PatchCostRequest {
    using Reply = PairCost;
    PatchQuestion of;
};
[[nodiscard]] Job<PairCost> jobOf(const PatchCostRequest& request);

/// Requests the cost of path patching.
struct EdgeCostRequest {
    using Reply = PairCost;
    EdgeQuestion of;
};
[[nodiscard]] Job<PairCost> jobOf(const EdgeCostRequest& request);

} // namespace headscope::app
