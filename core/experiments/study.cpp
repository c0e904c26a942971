// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/study.h"

#include "core/base/words/counted.h"
#include "core/experiments/words/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace headscope::experiments {

namespace {

std::string pageHeading(const Experiment& experiment)
{
    return (experiment.number.empty() ? "" : experiment.number + " ") + experiment.question;
}

/// "0.64 [0.58, 0.70], n 256; change -0.36, p 0.001".
std::string full(const Cell& cell, Unit unit, const std::optional<double>& p)
{
    if (unit == Unit::Text)
        return cell.text;
    if (!cell.value)
        return "";
    const auto number = [&](double value) {
        return unit == Unit::Share ? fmt::format("{:.2f}", value) : shown(value, unit);
    };
    std::string text = number(*cell.value);
    if (cell.interval)
        text += fmt::format(" [{}, {}]", number(cell.interval->low), number(cell.interval->high));
    if (cell.n > 0)
        text += fmt::format(", n {}", cell.n);
    if (cell.contrast && p)
        text += fmt::format("; change {:+.2f}, p {}", cell.contrast->difference,
                            *p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", *p));
    return text;
}

bool filled(const Table& table, std::size_t column)
{
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const Row& row) { return row.cells[column].value || !row.cells[column].text.empty(); });
}

/// Words that stand in every row alike need no column.
bool sameInAllRows(const Table& table, std::size_t column)
{
    return table.rows.size() > 1 && table.columns[column].unit == Unit::Text
           && std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
                  return row.cells[column].text == table.rows.front().cells[column].text;
              });
}

std::string tableOf(const Report& report)
{
    const Table& table = report.table;
    const auto corrected = correctedP(table);
    std::string same;
    std::vector<std::size_t> columns;
    std::vector<std::string> titles;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (!filled(table, c))
            continue;
        if (sameInAllRows(table, c)) {
            same += (same.empty() ? "In all rows: " : ", ") + experiments::heading(table, c) + " "
                    + table.rows.front().cells[c].text;
            continue;
        }
        columns.push_back(c);
        titles.push_back(experiments::heading(table, c));
    }
    std::vector<std::vector<std::string>> rows = {titles};
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        std::vector<std::string> cells;
        for (const std::size_t c : columns)
            cells.push_back(full(table.rows[r].cells[c], table.columns[c].unit, corrected[r][c]));
        rows.push_back(std::move(cells));
    }
    return markdownTable(rows) + (same.empty() ? "" : "\n" + markdownParagraph(same + "."));
}

/// The paper's own numbers, under the names of its benchmarks, apart from ours.
std::string paperTable(const Experiment& experiment)
{
    const Table columns{experiment.columns, {}};
    std::vector<std::string> keys;
    for (const PaperRow& row : experiment.paper)
        for (const auto& [key, value] : row.numbers)
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                keys.push_back(key);
    if (keys.empty())
        return {};
    std::vector<std::vector<std::string>> rows = {{"the paper's own"}};
    for (const std::string& key : keys)
        rows.front().push_back(columns.columns[columns.column(key)].title);
    for (const PaperRow& row : experiment.paper) {
        std::vector<std::string> cells = {row.label};
        for (const std::string& key : keys) {
            const auto value = row.find(key);
            cells.push_back(value ? shown(*value, columns.columns[columns.column(key)].unit) : "");
        }
        rows.push_back(std::move(cells));
    }
    return markdownTable(rows) + "\n";
}

/// "Guessing: toy multiple choice 0.25." Empty where no column has it.
std::string guessingOf(const Table& table)
{
    std::string text;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::set<double> chances;
        for (const Row& row : table.rows)
            if (row.cells[c].value && row.cells[c].chance)
                chances.insert(*row.cells[c].chance);
        std::string numbers;
        for (const double chance : chances)
            numbers += (numbers.empty() ? " " : " or ") + fmt::format("{:.3g}", chance);
        if (!numbers.empty())
            text += (text.empty() ? "Guessing: " : ", ") + experiments::heading(table, c) + numbers;
    }
    return text.empty() ? text : text + ".";
}

/// Models with the beginnings of their hashes, and the settings, where the report tells them.
std::string measuredOn(const Report& report)
{
    constexpr std::size_t kDigits = 12;
    std::string text;
    for (std::size_t i = 0; i < report.measuredOn.size(); ++i)
        text += markdownParagraph("Measured on " + report.measuredOn[i]
                                  + (i < report.hashes.size() ? ", weights " + report.hashes[i].substr(0, kDigits) : "")
                                  + ".");
    const RunSettings& settings = report.settings;
    if (settings.version.empty())
        return text;
    return text
           + markdownParagraph(fmt::format("Headscope {}, seed {}, {}.", settings.version, settings.seed,
                                           settings.limit ? fmt::format("--limit {}", *settings.limit)
                                                          : "the usual number of examples"));
}

std::string studyPage(const Report& report, const std::string& picture)
{
    const Experiment& experiment = *report.experiment;
    const Judgement judgement = report.judgement();
    std::string text = "## " + plainMarkdown(pageHeading(experiment)) + "\n\n";
    if (!experiment.study.empty())
        text +=
            markdownParagraph(experiment.claim + (experiment.claim.empty() ? "" : " ") + "(" + experiment.source + ")")
            + markdownParagraph("What is measured: " + experiment.setting);
    else
        text += (experiment.claim.empty()
                     ? markdownParagraph("The paper asks this: " + experiment.source + ".")
                     : markdownParagraph("The paper: " + experiment.claim + " (" + experiment.source + ")"))
                + markdownParagraph("There: " + experiment.setting);
    if (!experiment.scaled.empty())
        text += markdownParagraph("On the included models: " + experiment.scaled);
    if (!experiment.assumed.empty())
        text += markdownParagraph("Assumed: " + experiment.assumed);
    text += "**Verdict: " + std::string(name(judgement.verdict)) + ".** " + plainMarkdown(judgement.why) + "\n\n";
    if (!picture.empty())
        text += "![" + plainMarkdown(experiment.question) + "](<" + picture + ">)\n\n";
    if (!report.table.rows.empty())
        text += tableOf(report) + "\n" + paperTable(experiment) + markdownParagraph(guessingOf(report.table));
    text += markdownParagraph(report.finding);
    text += measuredOn(report);
    for (const std::string& note : report.notes)
        text += markdownParagraph(note);
    return text + markdownParagraph("The rule of the verdict. " + experiment.rule);
}

} // namespace

std::string studyMarkdown(std::span<const Report> reports, std::span<const std::string> pictures)
{
    std::string text = "# Gather-and-aggregate heads: " + counted(reports.size(), "experiment") + "\n\n";
    text +=
        "Scores with 95 % intervals; changes are paired on the same rows, their p values corrected (Holm) for all "
        "contrasts of a model. The paper: Bick, Xing and Gu 2025, Understanding the Skill Gap in Recurrent Language "
        "Models.\n\n";
    std::vector<std::vector<std::string>> rows = {{"experiment", "verdict", "why"}};
    for (const Report& report : reports) {
        const Judgement judgement = report.judgement();
        rows.push_back({pageHeading(*report.experiment), name(judgement.verdict), judgement.why});
    }
    text += markdownTable(rows) + "\n";
    for (std::size_t i = 0; i < reports.size(); ++i)
        text += studyPage(reports[i], i < pictures.size() ? pictures[i] : "");
    return text;
}

} // namespace headscope::experiments
