// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map too large to keep, made smaller while its rows come in. Pure values; any thread.

#include "core/base/matrix.h"

namespace headscope::analysis {

/// Keeps of each factor x factor cells the one of largest magnitude, with its sign, so that a single strong cell of a
/// 16,384 x 16,384 map is never lost. NaN gives way to any number.
class PatternPool
{
public:
    /// The smallest factor that leaves at most `side` rows of `tokens`.
    [[nodiscard]] static int factorFor(int tokens, int side) { return (tokens + side - 1) / side; }

    PatternPool(int tokens, int factor);
    /// rows: [n, tokens], the map's rows from `firstRow` on; in any order, each once.
    void add(int firstRow, const Matrix& rows);
    /// [ceil(tokens / factor), the same].
    [[nodiscard]] const Matrix& matrix() const { return m_matrix; }

private:
    int m_factor = 1;
    Matrix m_matrix;
};

} // namespace headscope::analysis
