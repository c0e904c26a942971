// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"

#include "core/experiments/benchmarknames.h"
#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

const std::vector<Column>& columns()
{
    static const std::vector<Column> all = {{"mmlu", "MMLU", Unit::Share, Source::Benchmark},
                                            {"lambada", "LAMBADA, perplexity", Unit::Number, Source::Perplexity},
                                            {"gsm8k", "GSM8K", Unit::Share, Source::Benchmark},
                                            {"swde", "SWDE", Unit::Share, Source::Benchmark},
                                            {"bbh", "BBH", Unit::Share, Source::Benchmark},
                                            {"knowledge", "knowledge", Unit::Share, Source::Benchmark},
                                            {"kv", "KV retrieval", Unit::Share, Source::Benchmark}};
    return all;
}

const Column* columnOf(std::string_view key)
{
    const auto found =
        std::find_if(columns().begin(), columns().end(), [&](const Column& column) { return column.key == key; });
    return found == columns().end() ? nullptr : &*found;
}

/// The task that stands for a key on a model, or is named by it; empty: none does.
std::string taskOf(const Suite& suite, const std::string& key)
{
    if (!columnOf(key))
        return key;
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

bool isBatteryKey(std::string_view key)
{
    return columnOf(key) != nullptr;
}

std::vector<Column> batteryColumns(const std::vector<std::string>& keys)
{
    std::vector<Column> chosen;
    for (const std::string& key : keys) {
        const Column* known = columnOf(key);
        chosen.push_back(known ? *known : Column{key, benchmarkName(key), Unit::Share, Source::Benchmark});
    }
    return chosen;
}

Battery::Battery(Lab& lab, std::vector<std::string> keys, Relative relative)
    : m_lab(lab), m_keys(std::move(keys)), m_relative(relative)
{
}

Result<Cell> Battery::cellOf(Bench& bench, const std::string& key, const std::string& task, const InterventionSet& set)
{
    const auto measured = key == "lambada" ? m_lab.perplexity(bench, task, set) : m_lab.score(bench, task, set);
    if (!measured.has_value())
        return measured.error();
    Cell cell = measured->cell();
    const auto first =
        std::find_if(m_first.begin(), m_first.end(), [&](const auto& known) { return known.first == key; });
    if (first == m_first.end()) {
        m_first.emplace_back(key, *measured);
        return cell;
    }
    if (!cell.value)
        return cell;
    const auto contrast = m_lab.contrast(first->second, *measured);
    if (!contrast.has_value())
        return contrast.error();
    cell.contrast = *contrast;
    if (m_relative == Relative::Shown && first->second.value != 0)
        cell.relative = *cell.value / first->second.value - 1;
    return cell;
}

Result<std::vector<Cell>> Battery::measure(Bench& bench, const InterventionSet& set)
{
    std::vector<Cell> cells;
    for (const std::string& key : m_keys) {
        const std::string task = taskOf(bench.suite, key);
        if (task.empty()) {
            cells.emplace_back();
            continue;
        }
        auto cell = cellOf(bench, key, task, set);
        if (!cell.has_value())
            return cell.error();
        cells.push_back(std::move(*cell));
    }
    return cells;
}

Result<void> Battery::add(Bench& bench, Row row, const InterventionSet& set)
{
    auto cells = measure(bench, set);
    if (!cells.has_value())
        return cells.error();
    row.cells.insert(row.cells.end(), cells->begin(), cells->end());
    row.cells.resize(m_lab.table().columns.size());
    m_lab.add(std::move(row));
    return {};
}

std::string changes(const Table& table, const Row& from, const Row& to, const std::vector<std::string>& keys)
{
    std::string moved, guessed;
    for (const std::string& key : keys) {
        const Column& column = table.columns[table.column(key)];
        const auto before = table.value(from, key), after = table.value(to, key);
        if (!before || !after)
            continue;
        const std::string name = heading(table, key), then = shown(*before, column.unit);
        if (atFloor(table.cell(from, key)))
            guessed += (guessed.empty() ? "" : ", ") + translated("{} ({}) was not above the floor before", name, then);
        else
            moved += (moved.empty() ? "" : ", ")
                     + translated(moved.empty() ? "{} goes from {} to {}" : "{} from {} to {}", name, then,
                                  shown(*after, column.unit));
    }
    return moved + (moved.empty() || guessed.empty() ? "" : ", ") + guessed;
}

PaperRow paperRow(const std::string& label, const std::vector<std::string>& keys, const std::vector<double>& numbers)
{
    PaperRow row{label, {}};
    for (std::size_t i = 0; i < keys.size() && i < numbers.size(); ++i)
        row.numbers.emplace_back(keys[i], keys[i] == "lambada" ? numbers[i] : numbers[i] / 100);
    return row;
}

} // namespace headscope::experiments
