// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores before and after on the same rows: difference, interval, paired test. Any thread.

#include "core/analysis/statistics.h"
#include "core/tasks/metrics.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

/// Statistics that are valid under continuous monitoring while rows arrive (core/analysis/confidencesequence.h).
struct Anytime {
    static constexpr const char* kKind = "anytime-valid"; ///< kind of the interval

    analysis::Interval interval; ///< 95 % interval of the difference
    double p = 1;                ///< two-sided
    double evidence = 1;         ///< the e-value against no difference
    const char* test = "";       ///< "anytime-valid mixture martingale", "anytime-valid betting"
};

struct Comparison {
    tasks::Score now;
    double baseline = 0;
    double delta = 0;                             ///< now minus baseline, over the rows in both
    analysis::Interval interval;                  ///< 95 % interval of delta
    const char* kind = analysis::kPairedInterval; ///< kind of the interval
    double p = 1;                                 ///< two-sided
    std::string test;                             ///< "exact McNemar", "paired t on log-likelihoods", "paired t"
    int n = 0;                                    ///< rows in both
    int broken = 0;                               ///< right before, wrong now (accuracies)
    int fixed = 0;
    std::optional<Anytime> anytime; ///< if requested and the metric is bounded
    std::vector<bool> right;        ///< rows in both that are right now; if requested, for right-or-wrong metrics
};

struct CompareOptions {
    bool anytime = false;  ///< also statistics valid at any time
    bool keepRows = false; ///< also which rows are right
};

/// Returns one comparison per metric of every leaf and group, in the order of tasks::aggregate(now). A plain mean of
/// parts is tested on the rows of all of them. Fails if the numbers of rows differ.
[[nodiscard]] Result<std::vector<Comparison>> compare(const tasks::TaskSet& set,
                                                      std::span<const tasks::RowResult> baseline,
                                                      std::span<const tasks::RowResult> now,
                                                      const CompareOptions& options = {});

} // namespace headscope::engine
