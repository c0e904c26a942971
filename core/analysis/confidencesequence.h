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

/// Two-sided p value of the hypothesis that as many rows are lost as gained, by the same ratio: under it the smallest
/// value that ever comes is below x with a chance of at most x. Under 0.05 exactly where the interval of 95 % excludes
/// 0.
[[nodiscard]] double anytimeP(const PairedCounts& counts);

} // namespace headscope::analysis
