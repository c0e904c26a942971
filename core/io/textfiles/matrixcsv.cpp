// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/textfiles/matrixcsv.h"

#include "core/base/csv.h"
#include "core/base/printable.h"

#include <fmt/format.h>

namespace headscope::io {

namespace {

std::string cell(const std::string& text)
{
    return csvCell(printable(text, Newlines::Escape), true);
}

} // namespace

std::string matrixCsv(const Matrix& matrix, const MatrixAxes& axes)
{
    std::string out = "position,text,token";
    for (const std::string& text : axes.columns)
        out += ',' + cell(text);
    out += '\n';
    for (int row = 0; row < matrix.rows; ++row) {
        const auto at = static_cast<std::size_t>(row);
        out += std::to_string(axes.firstRow + row) + ',' + cell(axes.rows[at]) + ','
               + (at < axes.rowTokens.size() ? cell(axes.rowTokens[at]) : std::string());
        for (const float value : matrix.row(row))
            out += fmt::format(",{:.9g}", value);
        out += '\n';
    }
    return out;
}

} // namespace headscope::io
