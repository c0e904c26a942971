// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/patternpool.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::analysis {

PatternPool::PatternPool(int tokens, int factor) : m_factor(std::max(factor, 1))
{
    const int side = (tokens + m_factor - 1) / m_factor;
    m_matrix = Matrix(side, side);
    std::fill(m_matrix.values.begin(), m_matrix.values.end(), std::numeric_limits<float>::quiet_NaN());
}

void PatternPool::add(int firstRow, const Matrix& rows)
{
    for (int row = 0; row < rows.rows; ++row) {
        const int target = (firstRow + row) / m_factor;
        for (int col = 0; col < rows.cols; ++col) {
            const float value = rows.at(row, col);
            float& kept = m_matrix.at(target, col / m_factor);
            if (std::isnan(kept) || std::abs(value) > std::abs(kept))
                kept = value;
        }
    }
}

} // namespace headscope::analysis
