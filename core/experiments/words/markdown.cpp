// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/words/markdown.h"

#include <string_view>

namespace headscope::experiments {

std::string plainMarkdown(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#|!~").find(c) != std::string_view::npos)
            escaped += '\\';
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

std::string markdownParagraph(const std::string& text)
{
    return text.empty() ? "" : plainMarkdown(text) + "\n\n";
}

std::string markdownTable(const std::vector<std::vector<std::string>>& rows)
{
    std::string table;
    for (const std::vector<std::string>& row : rows) {
        table += "|";
        for (const std::string& cell : row)
            table += " " + plainMarkdown(cell) + " |";
        table += "\n";
        if (&row != &rows.front())
            continue;
        table += "|";
        for (std::size_t i = 0; i < row.size(); ++i)
            table += " --- |";
        table += "\n";
    }
    return table;
}

} // namespace headscope::experiments
