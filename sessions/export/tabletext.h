// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tables as text, row by row: CSV as in RFC 4180, JSON, LaTeX for booktabs, Markdown with pipes. Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope::sessions {

enum class TableFormat { Csv, Json, Latex, Markdown };
/// Returns the format of a name: "csv", "json", "latex", "markdown".
[[nodiscard]] Result<TableFormat> tableFormat(std::string_view name);

struct TableColumn {
    std::string name;
    bool number = false; ///< right-aligned
};

/// Empty, a number or a text.
using TableValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Writes a table to a stream that outlives it; rows are not stored, so tables may exceed memory. CSV and JSON contain
/// all digits of a number, LaTeX and Markdown four; all names are escaped. JSON is {"NAME": [{column: value, ...},
/// ...]}.
class TableWriter
{
public:
    TableWriter(std::ostream& out, TableFormat format, std::string name, std::vector<TableColumn> columns);
    /// Writes a row with one value per column.
    void row(std::span<const TableValue> values);
    void end();

private:
    [[nodiscard]] std::string cell(const TableValue& value) const;

    std::ostream& m_out;
    TableFormat m_format;
    std::vector<TableColumn> m_columns;
    bool m_first = true;
};

} // namespace headscope::sessions
