// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plots of an experiment's rows: one per benchmark, side by side. Pure functions; any thread.

#include "core/experiments/experimentreport.h"
#include "widgets/figures/plot.h"

#include <vector>

namespace headscope::figures {

/// Returns the plots of the experiment's charts, in order. Categorical conditions become lines of dots, quantities an
/// axis, pairs a grid; models are distinguished by colour if they share their conditions, and by separate plots if the
/// lines have another meaning; random heads are controls; the paper's numbers are marked if they belong to a condition.
[[nodiscard]] std::vector<widgets::Plot> experimentPlots(const experiments::Report& report);

} // namespace headscope::figures
