// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/export/tabletext.h"

#include "core/base/csv.h"
#include "core/base/printable.h"
#include "core/base/words/latex.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

namespace headscope::sessions {

namespace {

std::string markdownField(const std::string& text)
{
    std::string escaped;
    for (const char c : printable(text, Newlines::Keep)) {
        if (c == '|' || c == '\\' || c == '*' || c == '`')
            escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

std::string jsonText(const nlohmann::json& value)
{
    return printableJson(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

nlohmann::json jsonOf(const TableValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return *whole;
    if (const auto* real = std::get_if<double>(&value))
        return std::isfinite(*real) ? nlohmann::json(*real) : nlohmann::json();
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    return {};
}

} // namespace

Result<TableFormat> tableFormat(std::string_view name)
{
    if (name == "csv")
        return TableFormat::Csv;
    if (name == "json")
        return TableFormat::Json;
    if (name == "latex")
        return TableFormat::Latex;
    if (name == "markdown")
        return TableFormat::Markdown;
    return inputError("There is no table format '" + std::string(name) + "': expected csv, json, latex or markdown.");
}

TableWriter::TableWriter(std::ostream& out, TableFormat format, std::string name, std::vector<TableColumn> columns)
    : m_out(out), m_format(format), m_columns(std::move(columns))
{
    std::string line, below;
    switch (m_format) {
    case TableFormat::Csv:
        for (const TableColumn& column : m_columns)
            line += (line.empty() ? "" : ",") + csvCell(column.name);
        m_out << line << "\r\n";
        break;
    case TableFormat::Json: m_out << '{' << jsonText(name) << ": ["; break;
    case TableFormat::Latex:
        for (const TableColumn& column : m_columns) {
            line += column.number ? 'r' : 'l';
            below += (below.empty() ? "" : " & ") + latexText(column.name);
        }
        m_out << "\\begin{tabular}{" << line << "}\n\\toprule\n" << below << " \\\\\n\\midrule\n";
        break;
    case TableFormat::Markdown:
        for (const TableColumn& column : m_columns) {
            line += " " + markdownField(column.name) + " |";
            below += column.number ? " ---: |" : " --- |";
        }
        m_out << '|' << line << "\n|" << below << '\n';
        break;
    }
}

std::string TableWriter::cell(const TableValue& value) const
{
    const bool exact = m_format == TableFormat::Csv;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value))
        return exact ? fmt::format("{}", *real) : fmt::format("{:.4g}", *real);
    if (const auto* text = std::get_if<std::string>(&value))
        return exact ? csvCell(*text) : m_format == TableFormat::Latex ? latexText(*text) : markdownField(*text);
    return {};
}

void TableWriter::row(std::span<const TableValue> values)
{
    std::string line;
    if (m_format == TableFormat::Json) {
        for (std::size_t i = 0; i < values.size(); ++i)
            line += (i == 0 ? "{" : ", ") + jsonText(m_columns[i].name) + ": " + jsonText(jsonOf(values[i]));
        m_out << (m_first ? "\n" : ",\n") << line << '}';
    } else {
        const char* between = m_format == TableFormat::Csv ? "," : m_format == TableFormat::Latex ? " & " : " | ";
        for (std::size_t i = 0; i < values.size(); ++i)
            line += (i == 0 ? "" : between) + cell(values[i]);
        if (m_format == TableFormat::Markdown)
            m_out << "| " << line << " |\n";
        else
            m_out << line << (m_format == TableFormat::Csv ? "\r\n" : " \\\\\n");
    }
    m_first = false;
}

void TableWriter::end()
{
    if (m_format == TableFormat::Json)
        m_out << "\n]}\n";
    else if (m_format == TableFormat::Latex)
        m_out << "\\bottomrule\n\\end{tabular}\n";
}

} // namespace headscope::sessions
