// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head's map as a table for other programs. Pure functions; any thread.

#include "core/base/matrix.h"

#include <string>
#include <vector>

namespace headscope::io {

/// Labels of a map's rows and columns: texts as written by tokens, tokens as spelled in the vocabulary.
struct MatrixAxes {
    std::vector<std::string> columns;   ///< one text per column
    std::vector<std::string> rows;      ///< one text per row
    std::vector<std::string> rowTokens; ///< one token per row; empty if rows are not tokens
    int firstRow = 0;                   ///< position of the first row in the prompt
};

/// Returns "position,text,token" and the texts of the columns, then one line per row, values with nine digits. Texts
/// are quoted, line breaks in them are escaped, and none is interpreted as a formula by spreadsheets.
[[nodiscard]] std::string matrixCsv(const Matrix& matrix, const MatrixAxes& axes);

} // namespace headscope::io
