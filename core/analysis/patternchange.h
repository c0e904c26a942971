// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One map against another: difference, distance, columns weighted by what they carry. Any thread.

#include "core/base/matrix.h"

#include <span>
#include <vector>

namespace headscope::analysis {

/// a - b, cell by cell; NaN where either is. Both have the same shape.
[[nodiscard]] Matrix difference(const Matrix& a, const Matrix& b);

/// A row divided by the sum of its absolute values, signs kept: what makes a signed SSM matrix comparable with one of
/// probabilities. A row of zeros stays zero.
[[nodiscard]] std::vector<float> rowShare(std::span<const float> row);

/// Each row as its shares.
[[nodiscard]] Matrix rowShares(Matrix matrix);

/// Column j times weights[j]: with the norms of the value vectors, how much each token really contributes (Kobayashi et
/// al. 2020, "Attention is Not Only a Weight", with v instead of the whole transformed vector). One weight a column.
[[nodiscard]] Matrix weighted(Matrix matrix, std::span<const float> weights);

/// Distance of two maps of one head: mean over rows of half the sum of |a_j / sum|a| - b_j / sum|b||, from 0 (the same)
/// to 1 (nothing in common). For probabilities this is the total variation distance; signed SSM rows are first divided
/// by the sum of their absolute values and keep their signs. Both have the same shape.
[[nodiscard]] double patternDistance(const Matrix& a, const Matrix& b);

/// Jensen-Shannon distance of two rows of one length, each as the shares of its absolute values (Lin 1991, IEEE Trans.
/// Information Theory 37:145; the root of the divergence to base 2), from 0 (the same) to 1 (nothing in common).
[[nodiscard]] double jensenShannonDistance(std::span<const float> a, std::span<const float> b);

} // namespace headscope::analysis
