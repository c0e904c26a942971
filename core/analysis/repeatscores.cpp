// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/repeatscores.h"

#include <algorithm>
#include <cmath>

namespace headscope::analysis {

RepeatScores repeatScores(const Matrix& matrix, int repeat)
{
    RepeatScores scores;
    for (int t = 1; t < matrix.rows; ++t) {
        double sum = 0;
        for (const float value : matrix.row(t))
            sum += std::abs(static_cast<double>(value));
        if (sum <= 0)
            continue;
        const auto share = [&](int token) { return std::abs(static_cast<double>(matrix.at(t, token))) / sum; };
        scores.previous += share(t - 1);
        scores.sink += share(0);
        if (t > repeat) {
            scores.induction += share(t - repeat + 1);
            scores.duplicate += share(t - repeat);
        }
    }
    for (double* const score : {&scores.previous, &scores.sink})
        *score /= std::max(matrix.rows - 1, 1);
    for (double* const score : {&scores.induction, &scores.duplicate})
        *score /= std::max(repeat, 1);
    return scores;
}

} // namespace headscope::analysis
