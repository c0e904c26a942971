// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of a head on a repeated sequence of random tokens: a start token, r, and r again (Olsson et al. 2022,
// "In-context Learning and Induction Heads"). Shares of |row|, so that SSM heads are measured like attention. Any
// thread.

#include "core/base/matrix.h"

namespace headscope::analysis {

struct RepeatScores {
    double induction = 0; ///< second r: on the token after the earlier occurrence, A[t, t - R + 1]
    double duplicate = 0; ///< second r: on the earlier occurrence itself, A[t, t - R]
    double previous = 0;  ///< every position but the first: on the previous token, A[t, t - 1]
    double sink = 0;      ///< every position but the first: on the first token
};

/// Returns the scores. matrix: [1 + 2R, 1 + 2R], rows are queries.
[[nodiscard]] RepeatScores repeatScores(const Matrix& matrix, int repeat);

} // namespace headscope::analysis
