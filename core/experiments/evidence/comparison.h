// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two runs of the same experiments, page by page: what each condition gave then and gives now, and in what the runs
// differ. Values and pure functions; any thread.

#include "core/experiments/experimentreport.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::experiments {

/// One number of one condition.
struct NumberPair {
    std::string condition; ///< "tiny-transformer, both kept"
    std::string measured;  ///< "toy KV retrieval, 8 pairs"
    Unit unit = Unit::Number;
    Cell then, now;
    /// Now minus then with 95 %, as of independent samples (Newcombe's square-and-add of the two intervals): on the
    /// same rows it is too wide. Empty where one has no interval.
    std::optional<analysis::Interval> change;

    /// The interval of the change does not hold 0.
    [[nodiscard]] bool differs() const { return change && (change->low > 0 || change->high < 0); }
};

struct PageComparison {
    const Report* then = nullptr;     ///< null: there only now
    const Report* now = nullptr;      ///< null: there no more
    std::vector<std::string> runs;    ///< in what the runs differ, a sentence each: settings, models, version
    std::vector<NumberPair> numbers;  ///< of conditions that both have
    std::vector<std::string> missing; ///< conditions that one of them lacks, a sentence each

    [[nodiscard]] const Experiment& experiment() const { return *(now ? now : then)->experiment; }
};

/// A page for each report; those of one experiment on the same models belong together, then those of one experiment
/// whatever the models. The reports outlive it.
[[nodiscard]] std::vector<PageComparison> compareReports(std::span<const Report> then, std::span<const Report> now);

/// A table of all verdicts then and now, and a page for each experiment. The same reports give the same bytes.
[[nodiscard]] std::string comparisonMarkdown(std::span<const PageComparison> pages);
[[nodiscard]] std::string comparisonJson(std::span<const PageComparison> pages);

} // namespace headscope::experiments
