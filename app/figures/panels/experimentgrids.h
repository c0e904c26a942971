// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows of an experiment as grids and bars: layers by benchmarks, masks by masks, heads that it takes. Pure functions;
// any thread.

#include "core/experiments/experimentreport.h"
#include "widgets/figures/plot.h"

#include <vector>

namespace headscope::figures {

/// A grid for each model, a benchmark a line and a layer a column, coloured by the change against the first column;
/// behind them the paper's own in hollow cells, on the layers of its model.
[[nodiscard]] std::vector<widgets::Plot> layerMaps(const experiments::Report& report, const experiments::Chart& chart);
/// A grid for each model: what is left of the gather heads by what is left of the aggregate heads.
[[nodiscard]] std::vector<widgets::Plot> maskMaps(const experiments::Report& report, const experiments::Chart& chart);
/// How many removed heads halve a benchmark, a bar a model; behind them the paper's, on its own scale.
[[nodiscard]] std::vector<widgets::Plot> headCounts(const experiments::Report& report);

} // namespace headscope::figures
