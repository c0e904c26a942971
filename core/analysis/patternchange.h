// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Comparison of two maps: difference, distance, columns weighted by their values. Any thread.

#include "core/base/matrix.h"

#include <span>
#include <vector>

namespace headscope::analysis {

/// Returns a - b, cell by cell; NaN where either is. Both have the same shape.
[[nodiscard]] Matrix difference(const Matrix& a, const Matrix& b);

/// Returns a row divided by the sum of its absolute values, keeping signs: this makes a signed SSM matrix comparable
/// with one of probabilities. A row of zeros stays zero.
[[nodiscard]] std::vector<float> rowShare(std::span<const float> row);

/// Returns the matrix with each row divided in this way.
[[nodiscard]] Matrix rowShares(Matrix matrix);

/// Returns column j times weights[j]: with the norms of value vectors, what each token contributes (Kobayashi et al.
/// 2020, "Attention is Not Only a Weight", with v instead of the whole transformed vector). One weight per column.
[[nodiscard]] Matrix weighted(Matrix matrix, std::span<const float> weights);

/// Returns the distance of two maps of one head: mean over rows of half the sum of |a_j / sum|a| - b_j / sum|b||, from
/// 0 (the same) to 1 (nothing in common). For probabilities this is the total variation distance; signed SSM rows are
/// first divided by the sum of their absolute values and keep their signs. Both have the same shape.
[[nodiscard]] double patternDistance(const Matrix& a, const Matrix& b);

/// Returns the Jensen-Shannon distance of two rows of one length as shares of their absolute values (Lin 1991, IEEE
/// Trans. Information Theory 37:145; the root of the divergence to base 2), from 0 (the same) to 1 (nothing in common).
[[nodiscard]] double jensenShannonDistance(std::span<const float> a, std::span<const float> b);

} // namespace headscope::analysis
