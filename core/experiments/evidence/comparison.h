// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Comparison of two runs of the same experiments, page by page: the results of each condition then and now, and the
// differences between the runs. Values and pure functions; any thread.

#include "core/experiments/experimentreport.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::experiments {

/// One number of one condition, then and now.
struct NumberPair {
    std::string condition; ///< "tiny-transformer, both kept"
    std::string measured;  ///< "toy KV retrieval, 8 pairs"
    Unit unit = Unit::Number;
    Cell then, now;
    /// Now minus then with a 95 % interval, for independent samples (Newcombe's square-and-add of the two intervals):
    /// too wide for the same rows. Empty if one has no interval.
    std::optional<analysis::Interval> change;

    /// Returns whether the interval of the change excludes 0.
    [[nodiscard]] bool differs() const { return change && (change->low > 0 || change->high < 0); }
};

struct PageComparison {
    const Report* then = nullptr;     ///< null: exists only now
    const Report* now = nullptr;      ///< null: exists only then
    std::vector<std::string> runs;    ///< differences between the runs, one sentence each: settings, models, version
    std::vector<NumberPair> numbers;  ///< for conditions in both
    std::vector<std::string> missing; ///< conditions missing in one of them, one sentence each

    [[nodiscard]] const Experiment& experiment() const { return *(now ? now : then)->experiment; }
};

/// Returns a page for each report; first pairs reports of one experiment on the same models, then those of one
/// experiment whatever the models. The reports must outlive it.
[[nodiscard]] std::vector<PageComparison> compareReports(std::span<const Report> then, std::span<const Report> now);

/// Returns a table of all verdicts then and now, and a page per experiment. The same reports give the same bytes.
[[nodiscard]] std::string comparisonMarkdown(std::span<const PageComparison> pages);
[[nodiscard]] std::string comparisonJson(std::span<const PageComparison> pages);

} // namespace headscope::experiments
