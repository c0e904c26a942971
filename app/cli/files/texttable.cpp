// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/files/texttable.h"

#include "core/base/printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::cli {

namespace {

constexpr std::size_t kLongestCell = 400; // bytes

// Code points: what a terminal shows as one cell, for all but wide scripts.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

} // namespace

std::string textTable(const std::vector<std::vector<std::string>>& given)
{
    std::vector<std::vector<std::string>> rows = given;
    for (auto& row : rows)
        for (std::string& cell : row)
            cell = printable(cell, Newlines::Escape, kLongestCell);
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], width(row[c]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string padding(widths[c] - width(row[c]), ' ');
            line += c == 0 ? row[c] + padding : "  " + padding + row[c];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string number(double value)
{
    return fmt::format("{:.4f}", value);
}

std::string signedNumber(double value)
{
    const std::string text = fmt::format("{:+.4f}", value);
    return text == "+0.0000" || text == "-0.0000" ? "0.0000" : text;
}

std::string intervalText(const analysis::Interval& interval)
{
    return interval.known() ? "[" + signedNumber(interval.low) + ", " + signedNumber(interval.high) + "]" : "-";
}

nlohmann::json intervalJson(const analysis::Interval& interval)
{
    return interval.known() ? nlohmann::json{interval.low, interval.high} : nlohmann::json();
}

std::string intervalCell(const nlohmann::json& interval)
{
    return interval.is_null() ? "-" : intervalText({interval.at(0).get<double>(), interval.at(1).get<double>()});
}

std::string pText(double p)
{
    return p >= 0.001 ? fmt::format("{:.3f}", p) : fmt::format("{:.0e}", p);
}

} // namespace headscope::cli
