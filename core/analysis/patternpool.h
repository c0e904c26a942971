// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Downsamples a map that is too large to store while its rows arrive. Pure values; any thread.

#include "core/base/matrix.h"

namespace headscope::analysis {

/// Keeps the largest-magnitude cell of each factor x factor block, with its sign, so that a single strong cell of a
/// 16,384 x 16,384 map is never lost. Any number replaces NaN.
class PatternPool
{
public:
    /// Returns the smallest factor that leaves at most `side` rows of `tokens`.
    [[nodiscard]] static int factorFor(int tokens, int side) { return (tokens + side - 1) / side; }

    PatternPool(int tokens, int factor);
    /// Adds rows [n, tokens] of the map from `firstRow` on; in any order, each once.
    void add(int firstRow, const Matrix& rows);
    /// Returns the reduced map, [ceil(tokens / factor), the same].
    [[nodiscard]] const Matrix& matrix() const { return m_matrix; }

private:
    int m_factor = 1;
    Matrix m_matrix;
};

} // namespace headscope::analysis
