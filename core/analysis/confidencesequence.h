// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Statistics of paired rows that stay valid under continuous monitoring while rows arrive. Pure functions; any thread.

#include "core/analysis/statistics.h"

namespace headscope::analysis {

/// Returns an interval of the paired difference of two proportions (after minus before) that is valid for all numbers
/// of rows at once: the probability that it ever misses the truth is at most 1 - confidence, even with optional
/// stopping. A mixture martingale (Robbins 1970, Annals of Mathematical Statistics 41:1397): the ratio of the counts'
/// probability under Jeffreys' mixture of trinomials (lost, gained, neither) to that under one of them is a
/// martingale of mean 1, so Ville's inequality keeps it under 1 / (1 - confidence) for the true one; the interval
/// contains the differences of all that are not excluded. Depends on the counts only, not on their order. [-1, 1]
/// without rows.
[[nodiscard]] Interval anytimeDifference(const PairedCounts& counts, double confidence = 0.95);

/// Returns the evidence that lost and gained rows are not equally likely: an e-value, whose mean is at most 1 at any
/// time if they are, so that it ever exceeds 1 / x with probability at most x. The same ratio, against the likeliest
/// trinomial without a difference.
[[nodiscard]] double anytimeEvidence(const PairedCounts& counts);

/// Returns the two-sided p-value of the hypothesis that as many rows are lost as gained, by the same ratio: under it
/// the smallest value ever reached is below x with probability at most x. Under 0.05 exactly if the interval of 95 %
/// excludes 0.
[[nodiscard]] double anytimeP(const PairedCounts& counts);

/// The same for row scores in [0, 1] that are not only right or wrong (F1, part of an answer): an interval of
/// mean(after - before) and an e-value against 0, by betting on every candidate mean with fixed shares of the capital
/// (grid Kelly, Waudby-Smith and Ramdas 2023, J. Royal Statistical Society B 86:1, appendix B). The bets ignore earlier
/// rows, so the order of the rows does not matter. A number outside [0, 1] is a programming error. [-1, 1] and 1
/// without rows.
[[nodiscard]] Interval boundedDifference(std::span<const double> before, std::span<const double> after,
                                         double confidence = 0.95);
[[nodiscard]] double boundedEvidence(std::span<const double> before, std::span<const double> after);

} // namespace headscope::analysis
