// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// KV retrieval against dictionary size as chart lines. Pure functions; any thread.

#include "app/state/sidestate.h"
#include "widgets/scores/charts.h"

namespace headscope::gui {

struct KvCurves {
    std::vector<widgets::KvCurve> lines;
    std::vector<widgets::KvCurve> chance; ///< of guessing, one per task that offers options
};

/// Returns the curves. Lines name their task if the two models have different ones.
[[nodiscard]] KvCurves kvCurves(const SideState& a, const SideState& b);

} // namespace headscope::gui
