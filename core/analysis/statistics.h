// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Statistics for scores and for scores before and after an intervention on the same rows. Pure functions; any thread.

#include "core/base/result.h"

#include <cstdint>
#include <span>

namespace headscope::analysis {

struct Interval {
    double low = 0;
    double high = 0;
};

/// Rows by (right before, right after). What all paired comparisons of accuracies are computed from.
struct PairedCounts {
    std::int64_t bothRight = 0;
    std::int64_t lost = 0;   ///< right before, wrong after
    std::int64_t gained = 0; ///< wrong before, right after
    std::int64_t bothWrong = 0;

    [[nodiscard]] std::int64_t total() const { return bothRight + lost + gained + bothWrong; }
    /// Accuracy after minus accuracy before; 0 without rows.
    [[nodiscard]] double difference() const;
    void add(bool before, bool after);
};

/// Wilson score interval of a proportion (Wilson 1927, JASA 22:209; no continuity correction). [0, 1] when total is 0.
[[nodiscard]] Interval wilsonInterval(std::int64_t successes, std::int64_t total, double confidence = 0.95);

/// Two-sided exact McNemar p value: min(1, 2 P(X <= min(lost, gained))), X binomial(lost + gained, 1/2)
/// (McNemar 1947, Psychometrika 12:153; exact form as in Agresti, Categorical Data Analysis, 10.1). 1 without
/// discordant rows.
[[nodiscard]] double mcnemarExact(const PairedCounts& counts);

/// Interval of the paired difference of two proportions (after minus before), square-and-add of Wilson intervals
/// with the correlation term: Newcombe 1998, Statistics in Medicine 17:2635, method 10. Good for few rows, so it is
/// what is shown while rows stream in. [-1, 1] when there are no rows.
[[nodiscard]] Interval newcombePairedInterval(const PairedCounts& counts, double confidence = 0.95);

/// Percentile bootstrap interval of mean(after - before), rows resampled together
/// (Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13.3). The same seed gives the same interval
/// everywhere. Fails when the lengths differ, are 0, or a value is not finite.
[[nodiscard]] Result<Interval> pairedBootstrapInterval(std::span<const double> before, std::span<const double> after,
                                                       std::uint64_t seed, int resamples = 10000,
                                                       double confidence = 0.95);

struct PairedT {
    double difference = 0; ///< mean(after - before)
    double standardError = 0;
    double t = 0;
    double degrees = 0; ///< n - 1
    double p = 1;       ///< two-sided
    Interval interval;  ///< of the difference
};

/// Student's paired t test, for token log-likelihoods before and after (Student 1908, Biometrika 6:1). All differences
/// equal gives p = 1 when they are 0 and p = 0 otherwise. Fails under two pairs, for unequal lengths, or non-finite
/// values.
[[nodiscard]] Result<PairedT> pairedT(std::span<const double> before, std::span<const double> after,
                                      double confidence = 0.95);

struct Correlation {
    double rho = 0;
    double p = 1; ///< two-sided, Student's t with n - 2 degrees of freedom
    std::int64_t n = 0;
};

/// Spearman's rank correlation, ties at their mean rank (Spearman 1904, Am. J. Psychology 15:72).
/// Fails under three pairs, for unequal lengths, non-finite values, or when one side is constant.
[[nodiscard]] Result<Correlation> spearman(std::span<const double> x, std::span<const double> y);

} // namespace headscope::analysis
