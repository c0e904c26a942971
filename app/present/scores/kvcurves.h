// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// KV retrieval against the size of the dictionary, as lines of a chart. Pure functions; any thread.

#include "app/state/sidestate.h"
#include "widgets/scores/charts.h"

namespace headscope::gui {

struct KvCurves {
    std::vector<widgets::KvCurve> lines;
    std::vector<widgets::KvCurve> chance; ///< of guessing, one a task that offers options
};

/// Each line names its task where the two models are asked different ones.
[[nodiscard]] KvCurves kvCurves(const SideState& a, const SideState& b);

} // namespace headscope::gui
