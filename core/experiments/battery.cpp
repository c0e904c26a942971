// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"

#include <algorithm>
#include <cassert>

namespace headscope::experiments {

namespace {

const std::vector<Column>& columns()
{
    static const std::vector<Column> all = {
        {"mmlu", "MMLU", Unit::Share},      {"lambada", "LAMBADA ppl", Unit::Number},
        {"gsm8k", "GSM8K", Unit::Share},    {"swde", "SWDE", Unit::Share},
        {"bbh", "BBH", Unit::Share},        {"knowledge", "knowledge", Unit::Share},
        {"kv", "KV-Retrieval", Unit::Share}};
    return all;
}

/// The task that stands for a key on a model; empty: none does.
std::string taskOf(const Suite& suite, const std::string& key)
{
    if (key == "mmlu")
        return suite.mmlu;
    if (key == "knowledge")
        return suite.knowledge;
    if (key == "lambada")
        return suite.lambada;
    if (key == "kv")
        return suite.toy ? suite.kv(16) : "";
    return suite.toy ? "" : key;
}

} // namespace

std::vector<Column> batteryColumns(const std::vector<std::string>& keys)
{
    std::vector<Column> chosen;
    for (const std::string& key : keys) {
        const auto found =
            std::find_if(columns().begin(), columns().end(), [&](const Column& column) { return column.key == key; });
        assert(found != columns().end());
        chosen.push_back(*found);
    }
    return chosen;
}

Result<std::vector<Cell>> measureBattery(Lab& lab, Bench& bench, const std::vector<std::string>& keys,
                                         const InterventionSet& set, const std::vector<Cell>& first)
{
    std::vector<Cell> cells;
    for (const std::string& key : keys) {
        const std::string task = taskOf(bench.suite, key);
        if (task.empty()) {
            cells.emplace_back();
            continue;
        }
        const auto measured = key == "lambada" ? lab.perplexity(bench, task, set) : lab.score(bench, task, set);
        if (!measured.has_value())
            return measured.error();
        Cell cell = measured->cell();
        const std::size_t c = cells.size();
        if (c < first.size() && first[c].value && *first[c].value != 0 && cell.value)
            cell.relative = *cell.value / *first[c].value - 1;
        cells.push_back(std::move(cell));
    }
    return cells;
}

Result<std::vector<Cell>> addBatteryRow(Lab& lab, Bench& bench, Row row, const std::vector<std::string>& keys,
                                        const InterventionSet& set, const std::vector<Cell>& first)
{
    auto cells = measureBattery(lab, bench, keys, set, first);
    if (!cells.has_value())
        return cells;
    row.cells.insert(row.cells.end(), cells->begin(), cells->end());
    row.cells.resize(lab.table().columns.size());
    lab.add(std::move(row));
    return cells;
}

std::string changes(const Table& table, const Row& from, const Row& to, const std::vector<std::string>& keys)
{
    std::string text;
    for (const std::string& key : keys) {
        const Column& column = table.columns[table.column(key)];
        const auto before = table.value(from, key), after = table.value(to, key);
        if (!before || !after)
            continue;
        text += (text.empty() ? "" : ", ") + column.title + (text.empty() ? " goes from " : " from ")
                + shown(*before, column.unit) + " to " + shown(*after, column.unit);
    }
    return text;
}

PaperRow paperRow(const std::string& label, const std::vector<std::string>& keys, const std::vector<double>& numbers)
{
    PaperRow row{label, {}};
    for (std::size_t i = 0; i < keys.size() && i < numbers.size(); ++i)
        row.numbers.emplace_back(keys[i], keys[i] == "lambada" ? numbers[i] : numbers[i] / 100);
    return row;
}

} // namespace headscope::experiments
