// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/comparison.h"

#include "core/experiments/words/markdown.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::experiments {

using nlohmann::ordered_json;

namespace {

std::string joinedTexts(const std::vector<std::string>& texts)
{
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : ", ") + text;
    return all.empty() ? "none" : all;
}

std::string limitText(const RunSettings& settings)
{
    return settings.limit ? fmt::format("{}", *settings.limit) : "the usual number";
}

/// Only what both tell is compared: reports of older versions tell less.
std::vector<std::string> differentRuns(const Report& then, const Report& now)
{
    std::vector<std::string> all;
    const auto differ = [&](const std::string& what, const std::string& a, const std::string& b) {
        if (!a.empty() && !b.empty() && a != b)
            all.push_back(what + ": " + a + ", now " + b + ".");
    };
    const bool told = !then.settings.version.empty() && !now.settings.version.empty();
    differ("Models", joinedTexts(then.models), joinedTexts(now.models));
    for (std::size_t i = 0; i < std::min(then.hashes.size(), now.hashes.size()); ++i)
        if (then.models == now.models && then.hashes[i] != now.hashes[i])
            all.push_back(fmt::format("Other weights under the name {}: {}, now {}.", then.models[i],
                                      then.hashes[i].substr(0, 12), now.hashes[i].substr(0, 12)));
    if (then.models == now.models)
        differ("Measured on", joinedTexts(then.measuredOn), joinedTexts(now.measuredOn));
    differ("Version", then.settings.version, now.settings.version);
    if (told) {
        differ("Seed", std::to_string(then.settings.seed), std::to_string(now.settings.seed));
        differ("Examples of each benchmark", limitText(then.settings), limitText(now.settings));
    } else {
        all.emplace_back("One of them does not record its settings.");
    }
    if (then.experiment->study != now.experiment->study)
        all.emplace_back("The study was written anew in between.");
    return all;
}

/// The columns that tell an experiment's conditions apart: those that its chart is drawn over.
std::vector<std::string> conditionKeys(const Experiment& experiment)
{
    std::vector<std::string> keys;
    for (const Chart& chart : experiment.charts) {
        std::vector<std::string> own = {chart.x};
        if (chart.kind == Chart::Kind::Map)
            own.insert(own.end(), chart.y.begin() + 1, chart.y.end());
        own.insert(own.end(), chart.series.begin(), chart.series.end());
        for (const std::string& key : own)
            if (key != "model" && std::ranges::find(keys, key) == keys.end())
                keys.push_back(key);
    }
    return keys;
}

struct NamedRow {
    std::string name;
    const Row* row = nullptr;
};

/// By place of the model, condition, and how often that came before.
std::map<std::pair<std::size_t, std::string>, NamedRow>
comparisonRows(const Report& report, std::vector<std::pair<std::size_t, std::string>>& order)
{
    const Table& table = report.table;
    const auto models = table.distinct("model");
    std::map<std::pair<std::size_t, std::string>, NamedRow> rows;
    for (const Row& row : table.rows) {
        const auto model = std::find(models.begin(), models.end(), table.text(row, "model")) - models.begin();
        std::string condition;
        for (const std::string& key : conditionKeys(*report.experiment)) {
            const std::size_t c = table.column(key);
            const std::string shownCell = table.columns[c].unit == Unit::Text
                                              ? row.cells[c].text
                                              : heading(table, c) + " " + shown(row.cells[c], table.columns[c].unit);
            condition += (condition.empty() ? "" : ", ") + shownCell;
        }
        const std::string name =
            (models.size() > 1 ? table.text(row, "model") + (condition.empty() ? "" : ", ") : "") + condition;
        std::pair key(static_cast<std::size_t>(model), condition);
        while (rows.contains(key))
            key.second += " again";
        order.push_back(key);
        rows[key] = {name.empty() ? table.text(row, "model") : name, &row};
    }
    return rows;
}

std::optional<analysis::Interval> changeOf(const Cell& then, const Cell& now)
{
    if (!then.value || !now.value || !then.interval || !now.interval)
        return {};
    const double change = *now.value - *then.value;
    return analysis::Interval{change - std::hypot(*now.value - now.interval->low, then.interval->high - *then.value),
                              change + std::hypot(now.interval->high - *now.value, *then.value - then.interval->low)};
}

void compareRows(PageComparison& page)
{
    std::vector<std::pair<std::size_t, std::string>> order, other;
    const auto now = comparisonRows(*page.now, order), then = comparisonRows(*page.then, other);
    const Table &after = page.now->table, &before = page.then->table;
    for (const auto& key : order) {
        const NamedRow& row = now.at(key);
        const auto found = then.find(key);
        if (found == then.end()) {
            page.missing.push_back("Only now: " + row.name + ".");
            continue;
        }
        for (std::size_t c = 0; c < after.columns.size(); ++c) {
            const Column& column = after.columns[c];
            const auto same = std::find_if(before.columns.begin(), before.columns.end(),
                                           [&](const Column& one) { return one.key == column.key; });
            if (column.unit == Unit::Text || same == before.columns.end())
                continue;
            const Cell& cell = row.row->cells[c];
            const Cell& old = found->second.row->cells[static_cast<std::size_t>(same - before.columns.begin())];
            if (cell.value || old.value)
                page.numbers.push_back({row.name, heading(after, c), column.unit, old, cell, changeOf(old, cell)});
        }
    }
    for (const auto& key : other)
        if (!now.contains(key))
            page.missing.push_back("Only then: " + then.at(key).name + ".");
}

PageComparison comparisonPage(const Report* then, const Report* now)
{
    PageComparison page{.then = then, .now = now};
    if (!then || !now)
        return page;
    page.runs = differentRuns(*then, *now);
    compareRows(page);
    return page;
}

std::string numberText(const Cell& cell, Unit unit)
{
    if (!cell.value)
        return "not measured";
    std::string text = shown(*cell.value, unit);
    if (cell.interval)
        text += fmt::format(" [{}, {}]", shown(cell.interval->low, unit), shown(cell.interval->high, unit));
    return cell.n > 0 ? text + fmt::format(", n {}", cell.n) : text;
}

std::string comparedChange(const NumberPair& pair)
{
    if (!pair.then.value || !pair.now.value)
        return "";
    if (*pair.then.value == *pair.now.value)
        return "the same";
    const Unit unit = pair.unit == Unit::Share ? Unit::Change : pair.unit;
    const double change = *pair.now.value - *pair.then.value;
    std::string text = (change > 0 && unit != Unit::Change ? "+" : "") + shown(change, unit);
    if (pair.change)
        text += fmt::format(" [{}, {}]{}", shown(pair.change->low, unit), shown(pair.change->high, unit),
                            pair.differs() ? ", apart" : "");
    return text;
}

std::string comparisonVerdict(const Report* report)
{
    return report ? name(report->judgement().verdict) : "not run";
}

std::string titleOf(const Experiment& experiment)
{
    return (experiment.number.empty() ? "" : experiment.number + " ") + experiment.question;
}

/// "3 of 12 numbers apart", in one clause.
std::string summaryOf(const PageComparison& page)
{
    if (!page.then || !page.now)
        return page.now ? "only now" : "only then";
    const auto apart =
        std::count_if(page.numbers.begin(), page.numbers.end(), [](const NumberPair& one) { return one.differs(); });
    const auto same = std::count_if(page.numbers.begin(), page.numbers.end(),
                                    [](const NumberPair& one) { return one.then.value == one.now.value; });
    return fmt::format("{} numbers: {} the same, {} apart", page.numbers.size(), same, apart);
}

std::string pageText(const PageComparison& page)
{
    std::string text = "## " + plainMarkdown(titleOf(page.experiment())) + "\n\n";
    for (const auto& [when, report] : {std::pair("Then", page.then), std::pair("Now", page.now)})
        text += fmt::format("**{}: {}.** ", when, comparisonVerdict(report))
                + (report ? plainMarkdown(report->judgement().why) : std::string()) + "\n\n";
    for (const std::string& difference : page.runs)
        text += markdownParagraph(difference);
    for (const std::string& condition : page.missing)
        text += markdownParagraph(condition);
    if (page.numbers.empty())
        return text;
    std::vector<std::vector<std::string>> rows = {{"condition", "measured", "then", "now", "change"}};
    for (const NumberPair& pair : page.numbers)
        rows.push_back({pair.condition, pair.measured, numberText(pair.then, pair.unit),
                        numberText(pair.now, pair.unit), comparedChange(pair)});
    return text + markdownTable(rows) + "\n";
}

ordered_json cellJson(const Cell& cell)
{
    ordered_json told = {{"value", cell.value ? ordered_json(*cell.value) : ordered_json()}};
    if (cell.interval)
        told["interval"] = {cell.interval->low, cell.interval->high};
    if (cell.n > 0)
        told["n"] = cell.n;
    return told;
}

} // namespace

std::vector<PageComparison> compareReports(std::span<const Report> then, std::span<const Report> now)
{
    std::vector<const Report*> partner(now.size(), nullptr);
    std::vector<bool> taken(then.size());
    for (const bool sameModels : {true, false})
        for (std::size_t i = 0; i < now.size(); ++i)
            for (std::size_t k = 0; k < then.size() && !partner[i]; ++k)
                if (!taken[k] && then[k].experiment->id == now[i].experiment->id
                    && (!sameModels || then[k].models == now[i].models)) {
                    partner[i] = &then[k];
                    taken[k] = true;
                }
    std::vector<PageComparison> pages;
    for (std::size_t i = 0; i < now.size(); ++i)
        pages.push_back(comparisonPage(partner[i], &now[i]));
    for (std::size_t k = 0; k < then.size(); ++k)
        if (!taken[k])
            pages.push_back(comparisonPage(&then[k], nullptr));
    return pages;
}

std::string comparisonMarkdown(std::span<const PageComparison> pages)
{
    std::string text = fmt::format("# {} experiments, then and now\n\n", pages.size());
    text += "Numbers with their 95 % intervals. The interval of a change is that of independent samples (Newcombe), so "
            "on the same rows it is too wide; \"apart\": it does not hold 0. No correction for how many numbers are "
            "compared.\n\n";
    std::vector<std::vector<std::string>> rows = {{"experiment", "then", "now", "numbers"}};
    for (const PageComparison& page : pages)
        rows.push_back(
            {titleOf(page.experiment()), comparisonVerdict(page.then), comparisonVerdict(page.now), summaryOf(page)});
    text += markdownTable(rows) + "\n";
    for (const PageComparison& page : pages)
        text += pageText(page);
    return text;
}

std::string comparisonJson(std::span<const PageComparison> pages)
{
    ordered_json all = ordered_json::array();
    for (const PageComparison& page : pages) {
        ordered_json numbers = ordered_json::array();
        for (const NumberPair& pair : page.numbers)
            numbers.push_back(
                {{"condition", pair.condition},
                 {"measured", pair.measured},
                 {"then", cellJson(pair.then)},
                 {"now", cellJson(pair.now)},
                 {"change", pair.change ? ordered_json{pair.change->low, pair.change->high} : ordered_json()},
                 {"apart", pair.differs()}});
        all.push_back({{"experiment", page.experiment().id},
                       {"question", page.experiment().question},
                       {"then", page.then ? ordered_json(comparisonVerdict(page.then)) : ordered_json()},
                       {"now", page.now ? ordered_json(comparisonVerdict(page.now)) : ordered_json()},
                       {"runs", page.runs},
                       {"missing", page.missing},
                       {"numbers", numbers}});
    }
    return ordered_json{{"pages", all}}.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace headscope::experiments
