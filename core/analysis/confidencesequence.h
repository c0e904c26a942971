// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What may be said of paired rows while they still come in, however often one looks. Pure functions; any thread.

#include "core/analysis/statistics.h"

namespace headscope::analysis {

/// Interval of the paired difference of two proportions (after minus before) that holds at every number of rows at
/// once: the chance that it ever misses the truth is at most 1 - confidence, also for somebody who stops when it
/// pleases. A mixture martingale (Robbins 1970, Annals of Mathematical Statistics 41:1397): the ratio of the counts'
/// probability under Jeffreys' mixture of trinomials (lost, gained, neither) to that under one of them is a martingale
/// of mean 1, so Ville's inequality keeps it under 1 / (1 - confidence) for the true one; the interval has the
/// differences of all that are not excluded. Depends on the counts only, not on their order. [-1, 1] when there are no
/// rows.
[[nodiscard]] Interval anytimeDifference(const PairedCounts& counts, double confidence = 0.95);

/// The evidence that lost and gained rows are not equally likely: an e-value, whose mean is at most 1 at any time where
/// they are, so that it ever exceeds 1 / x with a chance of at most x. The same ratio, against the likeliest without a
/// difference.
[[nodiscard]] double anytimeEvidence(const PairedCounts& counts);

/// Two-sided p value of the hypothesis that as many rows are lost as gained, by the same ratio: under it the smallest
/// value that ever comes is below x with a chance of at most x. Under 0.05 exactly where the interval of 95 % excludes
/// 0.
[[nodiscard]] double anytimeP(const PairedCounts& counts);

/// The same for numbers of rows in [0, 1] that are not only right or wrong (F1, part of an answer): an interval of
/// mean(after - before) and an e-value against 0, by betting on every candidate mean with fixed shares of the capital
/// (grid Kelly, Waudby-Smith and Ramdas 2023, J. Royal Statistical Society B 86:1, appendix B). The bets do not look at
/// earlier rows, so the order of the rows does not matter. Pairs where a number is not in [0, 1] are a programmer's
/// fault. [-1, 1] and 1 without rows.
[[nodiscard]] Interval boundedDifference(std::span<const double> before, std::span<const double> after,
                                         double confidence = 0.95);
[[nodiscard]] double boundedEvidence(std::span<const double> before, std::span<const double> after);

} // namespace headscope::analysis
