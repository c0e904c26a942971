// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/words/table.h"

#include "core/analysis/multiplicity.h"
#include "core/experiments/benchmarknames.h"
#include "core/experiments/words/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace headscope::experiments {

bool Contrast::operator==(const Contrast& other) const
{
    return difference == other.difference && interval.low == other.interval.low && interval.high == other.interval.high
           && p == other.p && n == other.n;
}

bool Cell::operator==(const Cell& other) const
{
    const auto ends = [](const Cell& cell) {
        return cell.interval ? std::pair(cell.interval->low, cell.interval->high) : std::pair(0.0, 0.0);
    };
    return text == other.text && value == other.value && ends(*this) == ends(other) && n == other.n
           && relative == other.relative && task == other.task && chance == other.chance && samples == other.samples
           && contrast == other.contrast;
}

std::optional<double> PaperRow::find(std::string_view key) const
{
    for (const auto& [name, value] : numbers)
        if (name == key)
            return value;
    return {};
}

std::size_t Table::column(std::string_view key) const
{
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.key == key; });
    assert(found != columns.end());
    return static_cast<std::size_t>(found - columns.begin());
}

const Row* Table::find(const std::vector<std::pair<std::string, std::string>>& texts) const
{
    for (const Row& row : rows)
        if (std::all_of(texts.begin(), texts.end(),
                        [&](const auto& wanted) { return text(row, wanted.first) == wanted.second; }))
            return &row;
    return nullptr;
}

std::vector<std::string> Table::distinct(std::string_view key) const
{
    std::vector<std::string> texts;
    for (const Row& row : rows)
        if (std::find(texts.begin(), texts.end(), text(row, key)) == texts.end())
            texts.push_back(text(row, key));
    return texts;
}

std::vector<const Row*> Table::where(std::string_view key, std::string_view wanted) const
{
    std::vector<const Row*> found;
    for (const Row& row : rows)
        if (text(row, key) == wanted)
            found.push_back(&row);
    return found;
}

Table Table::only(std::string_view key, std::string_view wanted) const
{
    Table part{columns, {}};
    for (const Row* row : where(key, wanted))
        part.rows.push_back(*row);
    return part;
}

namespace {

/// Names of the benchmarks that a column's cells were measured on, without their options where they differ in them.
std::vector<std::string> benchmarksOf(const Table& table, std::size_t column)
{
    std::vector<std::string> tasks;
    for (const Row& row : table.rows)
        if (const Cell& cell = row.cells[column];
            cell.value && std::find(tasks.begin(), tasks.end(), cell.task) == tasks.end())
            tasks.push_back(cell.task);
    std::vector<std::string> names;
    for (const std::string& task : tasks) {
        const std::string name =
            tasks.size() == 1 ? benchmarkName(task) : benchmarkName(task.substr(0, task.find(':')));
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    return names;
}

} // namespace

std::string heading(const Table& table, std::size_t column)
{
    const Column& declared = table.columns[column];
    if (declared.source == Source::Quantity)
        return translated(declared.title);
    const auto names = benchmarksOf(table, column);
    if (names.empty())
        return translated(declared.title);
    if (std::find(names.begin(), names.end(), std::string()) != names.end())
        return translated("{} or its stand-in", translated(declared.title));
    std::string joined;
    for (const std::string& name : names)
        joined += (joined.empty() ? "" : " / ") + name;
    return declared.source == Source::Perplexity ? translated("{}, perplexity", joined) : joined;
}

std::string heading(const Table& table, std::string_view key)
{
    return heading(table, table.column(key));
}

std::vector<std::vector<std::optional<double>>> correctedP(const Table& table)
{
    const auto models = std::ranges::find_if(table.columns, [](const Column& column) {
        return column.key == "model" && column.source != Source::Checkpoints;
    });
    const auto familyOf = [&](const Row& row) {
        return models == table.columns.end() ? std::string()
                                             : row.cells[static_cast<std::size_t>(models - table.columns.begin())].text;
    };
    std::map<std::string, std::vector<double>> found;
    for (const Row& row : table.rows)
        for (const Cell& cell : row.cells)
            if (cell.contrast)
                found[familyOf(row)].push_back(cell.contrast->p);
    for (auto& [family, p] : found)
        p = analysis::holm(p);
    std::map<std::string, std::size_t> next;
    std::vector<std::vector<std::optional<double>>> all;
    for (const Row& row : table.rows) {
        auto& line = all.emplace_back(row.cells.size());
        for (std::size_t c = 0; c < row.cells.size(); ++c)
            if (row.cells[c].contrast)
                line[c] = found[familyOf(row)][next[familyOf(row)]++];
    }
    return all;
}

std::vector<Series> seriesOf(const Table& table, const Chart& chart)
{
    std::vector<Series> all;
    const bool named = table.columns[table.column(chart.x)].unit == Unit::Text;
    for (const Row& row : table.rows) {
        std::string name;
        for (const std::string& key : chart.series)
            name += (name.empty() ? "" : ", ") + table.text(row, key);
        for (const std::string& y : chart.y) {
            const auto value = table.value(row, y);
            if (!value || (!named && !table.value(row, chart.x)))
                continue;
            const std::string full =
                chart.y.size() == 1 && !name.empty() ? name : name + (name.empty() ? "" : ", ") + heading(table, y);
            auto line = std::find_if(all.begin(), all.end(), [&](const Series& one) { return one.name == full; });
            if (line == all.end())
                line = all.insert(all.end(), Series{full, {}, {}});
            line->points.emplace_back(named ? static_cast<double>(line->points.size()) : *table.value(row, chart.x),
                                      *value);
            if (named)
                line->labels.push_back(table.text(row, chart.x));
        }
    }
    return all;
}

std::string shown(double value, Unit unit)
{
    switch (unit) {
    case Unit::Share: return fmt::format("{:.2f}", 100 * value);
    case Unit::Change: return std::abs(value) < 5e-5 ? "0.00" : fmt::format("{:+.2f}", 100 * value);
    case Unit::Count: return fmt::format("{:.0f}", value);
    case Unit::Bytes:
        return value >= 1e5   ? fmt::format("{:.1f} MB", value / 1e6)
               : value >= 1e3 ? fmt::format("{:.1f} kB", value / 1e3)
                              : fmt::format("{:.0f} B", value);
    default:
        return std::abs(value) >= 1e5 ? fmt::format("{:.3g}", value)
                                      : fmt::format("{:.3f}", value > -5e-4 && value < 0 ? 0 : value);
    }
}

std::string shown(const Cell& cell, Unit unit)
{
    if (unit == Unit::Text)
        return cell.text;
    if (!cell.value)
        return "-";
    return shown(*cell.value, unit) + (cell.relative ? fmt::format(" ({:+.1f} %)", 100 * *cell.relative) : "");
}

std::string percent(double share)
{
    return fmt::format("{:.1f} %", 100 * share);
}

bool atFloor(const Cell& cell)
{
    return cell.value && cell.interval && cell.interval->low <= cell.chance.value_or(0);
}

std::string percent(const Cell& cell)
{
    const std::string text = percent(cell.value.value_or(0));
    return atFloor(cell) ? translated("{} (not above the floor)", text) : text;
}

} // namespace headscope::experiments
