// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An experiment's rows as pictures: one for each benchmark, all of them beside each other. Pure functions; any thread.

#include "core/experiments/report.h"
#include "widgets/scores/experimentplot.h"

#include <vector>

namespace headscope::gui {

/// Of the experiment's first chart. Conditions that are words become lines of dots, quantities an axis; random heads
/// are controls; the paper's numbers are marked where they stand beside a condition.
[[nodiscard]] std::vector<widgets::Plot> experimentPlots(const experiments::Report& report);

} // namespace headscope::gui
