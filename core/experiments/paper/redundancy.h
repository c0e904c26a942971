// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How many heads share the role: scores by number of removed heads, SSM and Transformer.

#include "core/experiments/experiment.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::experiments {

/// Number of removed heads that halves a benchmark, above the floor and by the verdict's test.
struct HalvedBy {
    std::string model, key;
    std::optional<double> heads; ///< empty: not halved by any number tried
    double tried = 0;            ///< largest number tried
    bool attention = false;      ///< a model with attention only
};
/// Returns one entry per model and benchmark that it answers, in the order of the rows.
[[nodiscard]] std::vector<HalvedBy> halvedBy(const Table& table);

/// Returns the same for the paper's numbers on MMLU, without a test: it gives no intervals.
[[nodiscard]] std::vector<HalvedBy> halvedByPaper(const Experiment& experiment);

} // namespace headscope::experiments
