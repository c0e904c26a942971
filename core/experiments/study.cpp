// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/study.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::experiments {

namespace {

/// Text that may hold anything as one line that Markdown shows as it is.
std::string plain(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#|!~").find(c) != std::string_view::npos)
            escaped += '\\';
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

std::string line(const std::vector<std::string>& cells)
{
    std::string text = "|";
    for (const std::string& cell : cells)
        text += " " + plain(cell) + " |";
    return text + "\n";
}

std::string rule(std::size_t columns)
{
    std::string text = "|";
    for (std::size_t i = 0; i < columns; ++i)
        text += " --- |";
    return text + "\n";
}

std::string heading(const Experiment& experiment)
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

std::string tableOf(const Report& report)
{
    const Table& table = report.table;
    const auto corrected = correctedP(table);
    std::vector<std::size_t> columns;
    std::vector<std::string> titles;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (filled(table, c)) {
            columns.push_back(c);
            titles.push_back(experiments::heading(table, c));
        }
    const bool beside =
        std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.paper >= 0; });
    if (beside)
        titles.emplace_back("the paper's own");
    std::string text = line(titles) + rule(titles.size());
    const auto told = paperLines(*report.experiment);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        std::vector<std::string> cells;
        for (const std::size_t c : columns)
            cells.push_back(full(table.rows[r].cells[c], table.columns[c].unit, corrected[r][c]));
        if (beside)
            cells.push_back(table.rows[r].paper < 0 ? "" : told[static_cast<std::size_t>(table.rows[r].paper)]);
        text += line(cells);
    }
    return text;
}

std::string paragraph(const std::string& text)
{
    return text.empty() ? "" : plain(text) + "\n\n";
}

std::string pageOf(const Report& report)
{
    const Experiment& experiment = *report.experiment;
    const Judgement judgement = report.judgement();
    std::string text = "## " + plain(heading(experiment)) + "\n\n";
    if (!experiment.study.empty())
        text += paragraph(experiment.claim + (experiment.claim.empty() ? "" : " ") + "(" + experiment.source + ")")
                + paragraph("What is measured: " + experiment.setting);
    else
        text +=
            (experiment.claim.empty() ? paragraph("The paper asks this: " + experiment.source + ".")
                                      : paragraph("The paper: " + experiment.claim + " (" + experiment.source + ")"))
            + paragraph("There: " + experiment.setting);
    if (!experiment.scaled.empty())
        text += paragraph("On the shipped models: " + experiment.scaled);
    if (!experiment.assumed.empty())
        text += paragraph("Assumed: " + experiment.assumed);
    text += "**Verdict: " + std::string(name(judgement.verdict)) + ".** " + plain(judgement.why) + "\n\n";
    text += tableOf(report) + "\n" + paragraph(report.finding);
    for (const std::string& model : report.measuredOn)
        text += paragraph("Measured on " + model + ".");
    for (const std::string& note : report.notes)
        text += paragraph(note);
    return text + paragraph("The rule of the verdict. " + experiment.rule);
}

} // namespace

std::string studyMarkdown(std::span<const Report> reports, const StudySettings& settings)
{
    std::string text = "# Gather-and-aggregate heads: " + std::to_string(reports.size()) + " experiments\n\n";
    text += fmt::format("Headscope {}, seed {}, {}. ", settings.version, settings.seed,
                        settings.limit ? fmt::format("--limit {}", *settings.limit)
                                       : "each experiment's own number of examples");
    text +=
        "Scores with 95 % intervals; changes are paired on the same rows, their p values corrected (Holm) for all "
        "contrasts of a table. The paper: Bick, Xing and Gu 2025, Understanding the Skill Gap in Recurrent Language "
        "Models.\n\n";
    text += line({"experiment", "verdict", "why"}) + rule(3);
    for (const Report& report : reports) {
        const Judgement judgement = report.judgement();
        text += line({heading(*report.experiment), name(judgement.verdict), judgement.why});
    }
    text += "\n";
    for (const Report& report : reports)
        text += pageOf(report);
    return text;
}

} // namespace headscope::experiments
