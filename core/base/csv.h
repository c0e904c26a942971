// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cells of a CSV file (RFC 4180) that may contain text of unknown origin. Any thread.

#include "core/base/printable.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Returns whether a spreadsheet would treat the cell as a formula, by its first character; a formula may send
/// neighbouring data elsewhere. Numbers do not count.
[[nodiscard]] inline bool looksLikeFormula(std::string_view text)
{
    if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos)
        return false;
    const std::string_view digits = text.substr(text.front() == '+' ? 1 : 0);
    double value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return fault != std::errc() || end != digits.data() + digits.size();
}

/// Quotes a cell if needed; an apostrophe keeps text that looks like a formula from being one, and control codes for
/// terminals are escaped (printable.h).
[[nodiscard]] inline std::string csvCell(std::string_view raw, bool alwaysQuoted = false)
{
    const std::string text = printable(raw, Newlines::Keep);
    const bool formula = looksLikeFormula(text);
    if (!alwaysQuoted && text.find_first_of(",\"\n") == std::string::npos)
        return (formula ? "'" : "") + text;
    std::string cell = formula ? "\"'" : "\"";
    for (std::size_t at = 0;;) {
        const std::size_t quote = text.find('"', at);
        cell += text.substr(at, quote - at);
        if (quote == std::string::npos)
            break;
        cell += "\"\"";
        at = quote + 1;
    }
    return cell + '"';
}

/// Returns the cells as a line, with its line break.
[[nodiscard]] inline std::string csvLine(const std::vector<std::string>& cells)
{
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += (i == 0 ? "" : ",") + csvCell(cells[i]);
    return line + '\n';
}

} // namespace headscope
