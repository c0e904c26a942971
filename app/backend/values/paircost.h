// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a question about two runs takes, told before it is begun. Plain values; any thread.

#include "app/backend/values/edges.h"
#include "app/backend/values/patch.h"

#include <cstdint>
#include <variant>

namespace headscope::app {

using CostQuestion = std::variant<PatchQuestion, EdgeQuestion>;

struct PairCost {
    int pairs = 0;
    std::int64_t tokens = 0; ///< of the longest prompt
    std::int64_t runs = 0;   ///< of a prompt; at most
    std::int64_t bytes = 0;  ///< kept and worked with beside the model
    double seconds = 0;      ///< by the measured speed of this processor's products; 0: not known
};

} // namespace headscope::app
