// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How many heads share the role: scores against the number of removed heads, SSM beside Transformer.

#include "core/experiments/experiment.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::experiments {

/// How many removed heads halve a benchmark, above the floor and by the test of the verdict.
struct HalvedBy {
    std::string model, key;
    std::optional<double> heads; ///< empty: not by any number that was tried
    double tried = 0;            ///< the most
    bool attention = false;      ///< a model of attention alone
};
/// Of each model and benchmark that it answers, in the order of the rows.
[[nodiscard]] std::vector<HalvedBy> halvedBy(const Table& table);

/// The same of the paper's own numbers on MMLU, without a test: it gives no intervals.
[[nodiscard]] std::vector<HalvedBy> halvedInThePaper(const Experiment& experiment);

[[nodiscard]] Experiment redundancy();

} // namespace headscope::experiments
