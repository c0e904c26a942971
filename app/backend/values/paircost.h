// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a question about two runs takes, known before it is begun. Plain values; any thread.

#include "app/backend/values/edgevalues.h"
#include "app/backend/values/patch.h"

#include <cstdint>

namespace headscope::app {

template <typename Reply> struct Job;

struct PairCost {
    int pairs = 0;
    std::int64_t tokens = 0; ///< of the longest prompt
    std::int64_t runs = 0;   ///< of a prompt; at most
    std::int64_t bytes = 0;  ///< kept and worked with beside the model
    double seconds = 0;      ///< by the measured speed of this processor's products; 0: not known

    /// Whether nobody needs to be asked: pages answer as soon as they are looked at.
    [[nodiscard]] bool atOnce() const { return seconds > 0 && seconds < 2; }
};

/// What patching would take.
struct PatchCostRequest {
    using Reply = PairCost;
    PatchQuestion of;
};
[[nodiscard]] Job<PairCost> jobOf(const PatchCostRequest& request);

/// What tracing edges would take.
struct EdgeCostRequest {
    using Reply = PairCost;
    EdgeQuestion of;
};
[[nodiscard]] Job<PairCost> jobOf(const EdgeCostRequest& request);

} // namespace headscope::app
