// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/experimentreport.h"

#include "core/base/csv.h"
#include "core/base/words/latex.h"
#include "core/experiments/own/ownstudy.h"
#include "core/experiments/words/language.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::experiments {

using nlohmann::ordered_json;

namespace {

ordered_json numbersOf(const PaperRow& row)
{
    ordered_json told = {{"label", row.label}};
    for (const auto& [key, value] : row.numbers)
        told[key] = value;
    return told;
}

ordered_json reportCell(const Cell& cell, Unit unit)
{
    return unit == Unit::Text ? ordered_json(cell.text) : cell.value ? ordered_json(*cell.value) : ordered_json();
}

ordered_json rowOf(const Report& report, const Row& row)
{
    ordered_json told;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
        const Column& column = report.table.columns[c];
        const Cell& cell = row.cells[c];
        told[column.key] = reportCell(cell, column.unit);
        if (cell.interval)
            told[column.key + "_interval"] = {cell.interval->low, cell.interval->high};
        if (cell.n > 0)
            told[column.key + "_n"] = cell.n;
        if (cell.relative)
            told[column.key + "_relative"] = *cell.relative;
        if (!cell.task.empty())
            told[column.key + "_task"] = cell.task;
        if (cell.samples)
            told[column.key + "_samples"] = true;
        if (cell.chance)
            told[column.key + "_chance"] = *cell.chance;
        if (cell.contrast)
            told[column.key + "_contrast"] = {{"difference", cell.contrast->difference},
                                              {"interval", {cell.contrast->interval.low, cell.contrast->interval.high}},
                                              {"p", cell.contrast->p},
                                              {"n", cell.contrast->n}};
    }
    told["paper"] =
        row.paper < 0 ? ordered_json() : numbersOf(report.experiment->paper[static_cast<std::size_t>(row.paper)]);
    return told;
}

ordered_json chartsOf(const Report& report)
{
    static const char* const kinds[] = {"lines", "points", "bars", "map", "layers", "crossed", "counts"};
    ordered_json charts = ordered_json::array();
    for (const Chart& chart : report.experiment->charts) {
        ordered_json lines = ordered_json::array();
        for (const Series& series : seriesOf(report.table, chart)) {
            ordered_json line = {{"name", series.name}, {"points", series.points}};
            if (!series.labels.empty())
                line["labels"] = series.labels;
            lines.push_back(line);
        }
        charts.push_back({{"title", chart.title},
                          {"kind", kinds[static_cast<int>(chart.kind)]},
                          {"x", chart.x},
                          {"y", chart.y},
                          {"series", lines}});
    }
    return charts;
}

ordered_json settingsOf(const RunSettings& settings)
{
    return {{"version", settings.version},
            {"seed", settings.seed},
            {"limit", settings.limit ? ordered_json(*settings.limit) : ordered_json()}};
}

/// Keys of columns for which some row has a number of the paper beside it.
std::vector<std::size_t> paperColumns(const Report& report)
{
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < report.table.columns.size(); ++c)
        if (std::any_of(report.table.rows.begin(), report.table.rows.end(), [&](const Row& row) {
                return row.paper >= 0
                       && report.experiment->paper[static_cast<std::size_t>(row.paper)].find(
                           report.table.columns[c].key);
            }))
            columns.push_back(c);
    return columns;
}

std::string line(const std::vector<std::string>& fields)
{
    std::string text;
    for (const std::string& field : fields)
        text.append(&field == &fields.front() ? "" : ",").append(csvCell(field));
    return text.append("\n");
}

std::string number(double value)
{
    return fmt::format("{}", value);
}

} // namespace

Judgement Report::judgement() const
{
    if (!problem.empty())
        return {Verdict::CanNotTell, problem};
    if (!complete || table.rows.empty())
        return {Verdict::CanNotTell, translated("the run was not finished")};
    return experiment->judge(table);
}

std::string reportKey(const std::string& id, const std::vector<std::string>& models)
{
    std::string key = kReports + id;
    for (const std::string& model : models)
        key += "/" + model;
    return key;
}

std::string toJson(const Report& report)
{
    const Judgement judgement = report.judgement();
    const Experiment& experiment = *report.experiment;
    ordered_json rows = ordered_json::array(), paper = ordered_json::array(), columns = ordered_json::array();
    for (const Row& row : report.table.rows)
        rows.push_back(rowOf(report, row));
    for (const PaperRow& row : experiment.paper)
        paper.push_back(numbersOf(row));
    for (const Column& column : report.table.columns)
        columns.push_back({{"key", column.key}, {"title", heading(report.table, column.key)}});
    ordered_json told = {{"experiment", experiment.id},
                         {"number", experiment.number},
                         {"title", experiment.title},
                         {"question", experiment.question},
                         {"claim", experiment.claim},
                         {"source", experiment.source},
                         {"rule", experiment.rule},
                         {"verdict", name(judgement.verdict)},
                         {"why", judgement.why},
                         {"setting", experiment.setting},
                         {"scaled", experiment.scaled},
                         {"assumed", experiment.assumed},
                         {"models", report.models},
                         {"measured_on", report.measuredOn},
                         {"hashes", report.hashes},
                         {"settings", settingsOf(report.settings)},
                         {"columns", columns},
                         {"rows", rows},
                         {"paper", paper},
                         {"charts", chartsOf(report)},
                         {"finding", report.finding},
                         {"notes", report.notes},
                         {"complete", report.complete},
                         {"problem", report.problem},
                         {"seconds", report.seconds},
                         {"examples", report.examples},
                         {"known", report.known},
                         {"finished", report.finished}};
    if (!experiment.study.empty())
        told["study"] = ordered_json::parse(experiment.study);
    return told.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

namespace {

/// Throws what the JSON library throws.
Contrast contrastOf(const ordered_json& told)
{
    const auto& interval = told.at("interval");
    return {told.at("difference").get<double>(),
            {interval.at(0).get<double>(), interval.at(1).get<double>()},
            told.at("p").get<double>(),
            told.at("n").get<int>()};
}

/// How it was run; reports of older versions do not tell.
void readRun(const ordered_json& told, Report& report)
{
    report.models = told.value("models", report.table.distinct("model"));
    report.hashes = told.value("hashes", std::vector<std::string>());
    report.problem = told.value("problem", "");
    report.examples = told.value("examples", std::int64_t{0});
    report.known = told.value("known", std::int64_t{0});
    report.finished = told.value("finished", "");
    const auto settings = told.find("settings");
    if (settings == told.end())
        return;
    report.settings.version = settings->value("version", "");
    report.settings.seed = settings->value("seed", std::uint64_t{0});
    if (const auto limit = settings->find("limit"); limit != settings->end() && limit->is_number())
        report.settings.limit = limit->get<double>();
}

/// Without rows: of the program's experiment, or of the study that the report brings with it.
Result<Report> reportOf(const ordered_json& told)
{
    Report report;
    if (const auto study = told.find("study"); study != told.end()) {
        auto own = ownStudy(study->dump());
        if (!own.has_value())
            return own.error();
        report.own = std::move(*own);
        report.experiment = report.own.get();
    } else {
        const auto experiment = findExperiment(told["experiment"].get<std::string>());
        if (!experiment.has_value())
            return experiment.error();
        report.experiment = *experiment;
    }
    report.table.columns = report.experiment->columns;
    return report;
}

} // namespace

Result<Report> parseReport(const std::string& json)
{
    const auto told = ordered_json::parse(json, nullptr, false);
    const Error wrong = inputError("This is not the report of an experiment.");
    if (!told.is_object() || !told.contains("experiment") || !told["experiment"].is_string() || !told.contains("rows"))
        return wrong;
    auto begun = reportOf(told);
    if (!begun.has_value())
        return begun;
    Report report = std::move(*begun);
    try {
        for (const auto& from : told["rows"]) {
            Row row;
            for (const Column& column : report.table.columns) {
                Cell cell;
                const auto& value = from.at(column.key);
                if (column.unit == Unit::Text)
                    cell.text = value.get<std::string>();
                else if (!value.is_null())
                    cell.value = value.get<double>();
                if (const auto interval = from.find(column.key + "_interval"); interval != from.end())
                    cell.interval = analysis::Interval{interval->at(0).get<double>(), interval->at(1).get<double>()};
                cell.n = from.value(column.key + "_n", 0);
                if (const auto relative = from.find(column.key + "_relative"); relative != from.end())
                    cell.relative = relative->get<double>();
                cell.task = from.value(column.key + "_task", "");
                cell.samples = from.value(column.key + "_samples", false);
                if (const auto chance = from.find(column.key + "_chance"); chance != from.end())
                    cell.chance = chance->get<double>();
                if (const auto contrast = from.find(column.key + "_contrast"); contrast != from.end())
                    cell.contrast = contrastOf(*contrast);
                row.cells.push_back(std::move(cell));
            }
            // The paper's numbers come from this program, never from the file.
            for (std::size_t i = 0; from.at("paper").is_object() && i < report.experiment->paper.size(); ++i)
                if (report.experiment->paper[i].label == from["paper"].value("label", ""))
                    row.paper = static_cast<int>(i);
            report.table.rows.push_back(std::move(row));
        }
        report.measuredOn = told.at("measured_on").get<std::vector<std::string>>();
        report.notes = told.at("notes").get<std::vector<std::string>>();
        report.finding = told.at("finding").get<std::string>();
        report.seconds = told.at("seconds").get<double>();
        readRun(told, report);
        report.complete = told.at("complete").get<bool>();
    } catch (const nlohmann::json::exception&) {
        return wrong;
    }
    return report;
}

std::string toCsv(const Report& report)
{
    // 1. Which columns have intervals, numbers of examples and numbers of the paper.
    const auto any = [&](std::size_t c, auto has) {
        return std::any_of(report.table.rows.begin(), report.table.rows.end(),
                           [&](const Row& row) { return has(row.cells[c]); });
    };
    std::vector<std::string> header;
    std::vector<std::pair<bool, bool>> extra;
    for (std::size_t c = 0; c < report.table.columns.size(); ++c) {
        const std::string& key = report.table.columns[c].key;
        extra.emplace_back(any(c, [](const Cell& cell) { return cell.interval.has_value(); }),
                           any(c, [](const Cell& cell) { return cell.n > 0; }));
        header.push_back(key);
        if (extra.back().first)
            header.insert(header.end(), {key + "_low", key + "_high"});
        if (extra.back().second)
            header.push_back(key + "_n");
    }
    const auto beside = paperColumns(report);
    if (!beside.empty())
        header.push_back("paper_label");
    for (const std::size_t c : beside)
        header.push_back("paper_" + report.table.columns[c].key);

    // 2. The rows.
    std::string text = line(header);
    for (const Row& row : report.table.rows) {
        std::vector<std::string> fields;
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
            const Cell& cell = row.cells[c];
            fields.push_back(report.table.columns[c].unit == Unit::Text ? cell.text
                             : cell.value                               ? number(*cell.value)
                                                                        : "");
            if (extra[c].first)
                fields.insert(fields.end(), {cell.interval ? number(cell.interval->low) : "",
                                             cell.interval ? number(cell.interval->high) : ""});
            if (extra[c].second)
                fields.push_back(cell.n > 0 ? std::to_string(cell.n) : "");
        }
        const PaperRow* paper =
            row.paper < 0 ? nullptr : &report.experiment->paper[static_cast<std::size_t>(row.paper)];
        if (!beside.empty())
            fields.push_back(paper ? paper->label : "");
        for (const std::size_t c : beside) {
            const auto value = paper ? paper->find(report.table.columns[c].key) : std::nullopt;
            fields.push_back(value ? number(*value) : "");
        }
        text += line(fields);
    }
    return text;
}

std::vector<std::vector<std::string>> toCells(const Report& report)
{
    const auto beside = paperColumns(report);
    std::vector<std::vector<std::string>> lines(1);
    // A column that no row has measured says nothing.
    std::vector<std::size_t> own;
    for (std::size_t c = 0; c < report.table.columns.size(); ++c)
        if (report.table.columns[c].unit == Unit::Text
            || std::any_of(report.table.rows.begin(), report.table.rows.end(),
                           [c](const Row& row) { return row.cells[c].value.has_value(); }))
            own.push_back(c);
    for (const std::size_t c : own)
        lines[0].push_back(heading(report.table, c));
    for (const std::size_t c : beside)
        lines[0].push_back("paper: " + report.table.columns[c].title);
    if (!beside.empty())
        lines[0].push_back("paper's row");
    for (const Row& row : report.table.rows) {
        std::vector<std::string> cells;
        for (const std::size_t c : own)
            cells.push_back(shown(row.cells[c], report.table.columns[c].unit));
        const PaperRow* paper =
            row.paper < 0 ? nullptr : &report.experiment->paper[static_cast<std::size_t>(row.paper)];
        for (const std::size_t c : beside) {
            const auto value = paper ? paper->find(report.table.columns[c].key) : std::nullopt;
            cells.push_back(value ? shown(*value, report.table.columns[c].unit) : "");
        }
        if (!beside.empty())
            cells.push_back(paper ? paper->label : "");
        lines.push_back(std::move(cells));
    }
    return lines;
}

std::string toLatex(const Report& report)
{
    const auto cells = toCells(report);
    const auto joined = [](const std::vector<std::string>& fields) {
        std::string text;
        for (std::size_t i = 0; i < fields.size(); ++i)
            text.append(i == 0 ? "" : " & ").append(latexText(fields[i]));
        return text.append(" \\\\\n");
    };
    std::string text = "\\begin{table}\n\\centering\n\\begin{tabular}{l" + std::string(cells.front().size() - 1, 'r')
                       + "}\n\\toprule\n" + joined(cells.front()) + "\\midrule\n";
    for (std::size_t i = 1; i < cells.size(); ++i)
        text += joined(cells[i]);
    text += "\\bottomrule\n\\end{tabular}\n\\caption{" + latexText(report.experiment->title + ". " + report.finding);
    for (const std::string& model : report.measuredOn)
        text.append(" ").append(latexText(model)).append(".");
    return text
           + (report.experiment->paper.empty()
                  ? ""
                  : " Columns headed ``paper'' are the paper's own numbers (Bick, Xing and Gu 2025).")
           + "}\n\\end{table}\n";
}

std::vector<std::string> paperLines(const Experiment& experiment)
{
    std::vector<std::string> lines;
    const Table columns{experiment.columns, {}};
    for (const PaperRow& row : experiment.paper) {
        std::string text = row.label + ":";
        for (const auto& [key, value] : row.numbers) {
            const Column& column = columns.columns[columns.column(key)];
            text += " " + column.title + " " + shown(value, column.unit) + ",";
        }
        text.back() = '.';
        lines.push_back(text);
    }
    return lines;
}

} // namespace headscope::experiments
