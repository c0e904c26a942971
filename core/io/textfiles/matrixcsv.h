// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of a head as a table for other programs. Pure functions; any thread.

#include "core/base/matrix.h"

#include <string>
#include <vector>

namespace headscope::io {

/// What the rows and columns of a map are: texts as tokens write them, tokens as the vocabulary spells them.
struct MatrixAxes {
    std::vector<std::string> columns;   ///< a text for each column
    std::vector<std::string> rows;      ///< a text for each row
    std::vector<std::string> rowTokens; ///< a token for each row; empty where rows are not tokens
    int firstRow = 0;                   ///< position in the prompt of the first row
};

/// "position,text,token" and the texts of the columns; then a line a row, values with nine digits. Texts are quoted,
/// line breaks in them are escaped, and no spreadsheet takes one for a formula.
[[nodiscard]] std::string matrixCsv(const Matrix& matrix, const MatrixAxes& axes);

} // namespace headscope::io
