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

/// What may be said while rows still come in, however often one looks (core/analysis/confidencesequence.h).
struct Anytime {
    static constexpr const char* kKind = "anytime-valid"; ///< of the interval

    analysis::Interval interval; ///< of the difference, 95 %
    double p = 1;                ///< two-sided
    double evidence = 1;         ///< the e-value against no difference
    const char* test = "";       ///< "anytime-valid mixture martingale", "anytime-valid betting"
};

struct Comparison {
    tasks::Score now;
    double baseline = 0;
    double delta = 0;                             ///< now minus baseline, over the rows that both have
    analysis::Interval interval;                  ///< of delta, 95 %
    const char* kind = analysis::kPairedInterval; ///< of the interval
    double p = 1;                                 ///< two-sided
    std::string test;                             ///< "exact McNemar", "paired t on log-likelihoods", "paired t"
    int n = 0;                                    ///< rows that both have
    int broken = 0;                               ///< right before, wrong now (accuracies)
    int fixed = 0;
    std::optional<Anytime> anytime; ///< where it was asked for and the metric has bounds
    std::vector<bool> right;        ///< of the rows that both have, now; where it was asked for, of right and wrong
};

struct CompareOptions {
    bool anytime = false;  ///< also what holds at any time
    bool keepRows = false; ///< also which rows are right
};

/// One comparison a metric of every leaf and group, in the order of tasks::aggregate(now). A plain mean of
/// parts is tested on the rows of all of them. Fails when the numbers of rows differ.
[[nodiscard]] Result<std::vector<Comparison>> compare(const tasks::TaskSet& set,
                                                      std::span<const tasks::RowResult> baseline,
                                                      std::span<const tasks::RowResult> now,
                                                      const CompareOptions& options = {});

} // namespace headscope::engine
