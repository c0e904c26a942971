// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An experiment's rows as pictures: one for each benchmark, all of them beside each other. Pure functions; any thread.

#include "core/experiments/experimentreport.h"
#include "widgets/figures/plot.h"

#include <vector>

namespace headscope::figures {

/// Of the experiment's charts, in turn. Conditions that are words become lines of dots, quantities an axis, pairs a
/// grid; models have the colours where they share their conditions, and a picture each where the lines say something
/// else; random heads are controls; the paper's numbers are marked where they are beside a condition.
[[nodiscard]] std::vector<widgets::Plot> experimentPlots(const experiments::Report& report);

} // namespace headscope::figures
