// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Grids and bars of an experiment's rows: layers by benchmarks, masks by masks, numbers of heads. Pure functions; any
// thread.

#include "core/experiments/experimentreport.h"
#include "widgets/figures/plot.h"

#include <vector>

namespace headscope::figures {

/// Returns one grid per model, with a benchmark per line and a layer per column, coloured by the change from the first
/// column; followed by the paper's results in hollow cells, on the layers of its model.
[[nodiscard]] std::vector<widgets::Plot> layerMaps(const experiments::Report& report, const experiments::Chart& chart);
/// Returns one grid per model: the remaining gather heads by the remaining aggregate heads.
[[nodiscard]] std::vector<widgets::Plot> maskMaps(const experiments::Report& report, const experiments::Chart& chart);
/// Returns the number of removed heads that halves a benchmark, one bar per model; then the paper's, on its own scale.
[[nodiscard]] std::vector<widgets::Plot> headCounts(const experiments::Report& report);

} // namespace headscope::figures
