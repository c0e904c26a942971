// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels/experimentplots.h"

#include "app/figures/figurewords.h"
#include "app/figures/panels/experimentgrids.h"
#include "core/analysis/statistics.h"
#include "core/experiments/words/language.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

namespace headscope::figures {

namespace {

using experiments::Cell;
using experiments::Chart;
using experiments::Column;
using experiments::Report;
using experiments::Row;
using experiments::Table;
using experiments::Unit;
using widgets::Plot;
using widgets::PlotPoint;
using widgets::PlotSeries;

struct ExperimentPlots {
    Q_DECLARE_TR_FUNCTIONS(ExperimentPlots)
};

constexpr double kMegabyte = 1e6;

/// What numbers are divided by to be read on an axis.
double divisorOf(Unit unit)
{
    return unit == Unit::Bytes ? kMegabyte : 1;
}

PlotPoint pointOf(double x, const Cell& cell, double scale)
{
    PlotPoint point{x, *cell.value / scale, {}};
    if (cell.interval)
        point.interval = {cell.interval->low / scale, cell.interval->high / scale};
    return point;
}

/// The texts of a row that tell it apart, joined; those that are the same in all rows say nothing.
QString joinedTexts(const Table& table, const Row& row, const std::vector<std::string>& keys)
{
    QStringList parts;
    for (const std::string& key : keys)
        if (table.distinct(key).size() > 1)
            parts.append(text(experiments::translatedName(table.text(row, key))));
    return parts.join(QStringLiteral(" · "));
}

/// Whether what tells a row apart names a control.
bool isControl(const Table& table, const Row& row, const std::vector<std::string>& keys)
{
    return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
        const std::string& name = table.text(row, key);
        return name.find("random") != std::string::npos || name.find("control") != std::string::npos;
    });
}

/// The line of that name, made with the next free tone where it is not there yet.
PlotSeries& seriesNamed(Plot& plot, const QString& name, bool control = false)
{
    const auto found = std::find_if(plot.series.begin(), plot.series.end(),
                                    [&](const PlotSeries& series) { return series.name == name; });
    if (found != plot.series.end())
        return *found;
    constexpr PlotSeries::Tone kTones[] = {PlotSeries::Tone::First,  PlotSeries::Tone::Second, PlotSeries::Tone::Third,
                                           PlotSeries::Tone::Fourth, PlotSeries::Tone::Fifth,  PlotSeries::Tone::Sixth};
    const auto coloured = std::count_if(plot.series.begin(), plot.series.end(), [](const PlotSeries& series) {
        return series.tone != PlotSeries::Tone::Control;
    });
    plot.series.push_back({name, control ? PlotSeries::Tone::Control : kTones[coloured % 6], {}});
    return plot.series.back();
}

/// The place of a condition, made where it is new.
double placeOf(QStringList& conditions, const QString& condition)
{
    qsizetype index = conditions.indexOf(condition);
    if (index < 0) {
        index = conditions.size();
        conditions.append(condition);
    }
    return static_cast<double>(index);
}

std::vector<std::string> withoutModel(std::vector<std::string> keys)
{
    std::erase(keys, "model");
    return keys;
}

/// Whether models were measured in the same conditions, so that a line can hold a dot of each.
bool shareConditions(const Table& table, const std::vector<std::string>& keys)
{
    if (table.distinct("model").size() < 2)
        return false;
    QStringList seen;
    for (const Row& row : table.rows)
        seen.append(joinedTexts(table, row, keys));
    return seen.removeDuplicates() > 0;
}

std::optional<double> paperValue(const Report& report, const Row& row, const std::string& key)
{
    return row.paper < 0 ? std::nullopt : report.experiment->paper[static_cast<std::size_t>(row.paper)].find(key);
}

/// Under the name of the paper's own benchmark.
void addPaper(Plot& plot, const Column& column, std::vector<PlotPoint> points)
{
    if (points.empty())
        return;
    const QString name = column.source == experiments::Source::Quantity
                             ? ExperimentPlots::tr("the paper")
                             : ExperimentPlots::tr("the paper: %1").arg(text(experiments::translated(column.title)));
    plot.series.push_back({name, PlotSeries::Tone::Paper, std::move(points)});
}

/// Few numbers that lie far apart (0, 1, 2, 3, 32) stand in equal steps under their names.
void nameSteps(Plot& plot)
{
    constexpr std::size_t kMostNames = 12;
    constexpr double kFarApart = 12; // the whole axis in smallest steps
    std::set<double> places;
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points)
            places.insert(point.x);
    if (places.size() < 3 || places.size() > kMostNames)
        return;
    double least = std::numeric_limits<double>::infinity();
    for (auto next = std::next(places.begin()); next != places.end(); ++next)
        least = std::min(least, *next - *std::prev(next));
    if (*places.rbegin() - *places.begin() <= kFarApart * least)
        return;
    for (const double place : places)
        plot.xLabels.append(QString::number(place));
    for (PlotSeries& series : plot.series)
        for (PlotPoint& point : series.points)
            point.x = static_cast<double>(std::distance(places.begin(), places.find(point.x)));
    plot.xTitle += ExperimentPlots::tr(" (not to scale)");
}

Plot emptyPlot(const Table& table, const std::string& key)
{
    const Column& column = table.columns[table.column(key)];
    Plot plot{.title = text(experiments::heading(table, key)), .share = column.unit == Unit::Share};
    if (column.unit == Unit::Bytes)
        plot.title += QStringLiteral(", MB");
    return plot;
}

Plot dotsOf(const Report& report, const Chart& chart, const std::string& key)
{
    const Table& table = report.table;
    Plot plot = emptyPlot(table, key);
    const double scale = divisorOf(table.columns[table.column(key)].unit);
    std::vector<std::string> names = withoutModel(chart.series);
    names.insert(names.begin(), chart.x);
    const bool shared = shareConditions(table, names);
    if (!shared)
        names.insert(names.begin(), "model");
    std::vector<PlotPoint> paper;
    for (const Row& row : table.rows) {
        const Cell& cell = table.cell(row, key);
        if (!cell.value)
            continue;
        const double at = placeOf(plot.conditions, joinedTexts(table, row, names));
        seriesNamed(plot, shared ? text(table.text(row, "model")) : QString())
            .points.push_back(pointOf(at, cell, scale));
        plot.guessing = cell.chance ? cell.chance : plot.guessing;
        if (const auto value = paperValue(report, row, key))
            paper.push_back({at, *value / scale, {}});
    }
    addPaper(plot, table.columns[table.column(key)], std::move(paper));
    return plot;
}

/// How closely the points of each line agree in their order.
QStringList correlationsOf(const Plot& plot)
{
    QStringList all;
    for (const PlotSeries& series : plot.series) {
        std::vector<double> x, y;
        for (const PlotPoint& point : series.points) {
            x.push_back(point.x);
            y.push_back(point.value);
        }
        if (const auto found = analysis::spearman(x, y); found.has_value())
            all.append((series.name.isEmpty() ? QString() : series.name + QStringLiteral(": "))
                       + ExperimentPlots::tr("Spearman's rho %1, p = %2, n = %3")
                             .arg(found->rho, 0, 'f', 2)
                             .arg(found->p, 0, 'g', 2)
                             .arg(found->n));
    }
    return all;
}

/// Of one model, or of all (`model` empty).
Plot linesOf(const Report& report, const Chart& chart, const std::string& key, const std::string& model)
{
    const Table& table = report.table;
    Plot plot = emptyPlot(table, key);
    if (!model.empty())
        plot.title = text(model) + QStringLiteral(": ") + plot.title;
    plot.xTitle = text(experiments::heading(table, chart.x));
    plot.joined = chart.kind != Chart::Kind::Points;
    const double scale = divisorOf(table.columns[table.column(key)].unit);
    const auto names = model.empty() ? chart.series : withoutModel(chart.series);
    std::vector<PlotPoint> paper;
    std::set<double> chances;
    for (const Row& row : table.rows) {
        const Cell& cell = table.cell(row, key);
        const auto x = table.value(row, chart.x);
        if (!cell.value || !x || (!model.empty() && table.text(row, "model") != model))
            continue;
        seriesNamed(plot, joinedTexts(table, row, names), isControl(table, row, names))
            .points.push_back(pointOf(*x, cell, scale));
        if (cell.chance)
            chances.insert(*cell.chance);
        if (const auto value = paperValue(report, row, key))
            paper.push_back({*x, *value / scale, {}});
    }
    if (!plot.joined)
        plot.remarks = correlationsOf(plot);
    if (chances.size() == 1) // guessing that changes along the axis is no one line
        plot.guessing = *chances.begin();
    const Column& column = table.columns[table.column(key)];
    addPaper(plot, column, std::move(paper));
    plot.logarithmic = column.source == experiments::Source::Perplexity;
    if (plot.joined && column.unit != Unit::Bytes)
        nameSteps(plot);
    return plot;
}

/// The chart's second key names the columns.
Plot chartGrid(const Report& report, const Chart& chart)
{
    const Table& table = report.table;
    Plot plot = emptyPlot(table, chart.y.front());
    plot.title = text(experiments::translated(chart.title));
    const std::string& across = chart.y.back();
    for (const Row& row : table.rows) {
        placeOf(plot.grid.rows, text(table.text(row, chart.x)));
        placeOf(plot.grid.columns, text(table.text(row, across)));
    }
    plot.grid.values.assign(static_cast<std::size_t>(plot.grid.rows.size() * plot.grid.columns.size()),
                            std::numeric_limits<double>::quiet_NaN());
    for (const Row& row : table.rows)
        if (const auto value = table.value(row, chart.y.front()))
            plot.grid.values[static_cast<std::size_t>(
                plot.grid.rows.indexOf(text(table.text(row, chart.x))) * plot.grid.columns.size()
                + plot.grid.columns.indexOf(text(table.text(row, across))))] = *value;
    return plot;
}

/// A picture for each model where the lines are something else than models.
std::vector<std::string> partsOf(const Table& table, const Chart& chart)
{
    const auto others = withoutModel(chart.series);
    const bool more = std::any_of(others.begin(), others.end(),
                                  [&](const std::string& key) { return table.distinct(key).size() > 1; });
    const auto models = table.distinct("model");
    return more && models.size() > 1 ? models : std::vector<std::string>{std::string()};
}

/// A picture of the paper's numbers alone, on a scale of their own.
bool isOfPaper(const Plot& plot)
{
    return plot.grid.hollow
           || (!plot.series.empty()
               && std::all_of(plot.series.begin(), plot.series.end(),
                              [](const PlotSeries& series) { return series.tone == PlotSeries::Tone::Paper; }));
}

std::vector<Plot> chartPlots(const Report& report, const Chart& chart)
{
    switch (chart.kind) {
    case Chart::Kind::Map: return {chartGrid(report, chart)};
    case Chart::Kind::Layers: return layerMaps(report, chart);
    case Chart::Kind::Crossed: return maskMaps(report, chart);
    case Chart::Kind::Counts: return headCounts(report);
    default: break;
    }
    std::vector<Plot> plots;
    const Table& table = report.table;
    const bool words = table.columns[table.column(chart.x)].unit == Unit::Text;
    for (const std::string& model : words ? std::vector<std::string>{std::string()} : partsOf(table, chart))
        for (const std::string& key : chart.y) {
            Plot plot = words ? dotsOf(report, chart, key) : linesOf(report, chart, key, model);
            if (!plot.series.empty())
                plots.push_back(std::move(plot));
        }
    return plots;
}

} // namespace

std::vector<Plot> experimentPlots(const Report& report)
{
    std::vector<Plot> plots;
    if (!report.table.rows.empty())
        for (const Chart& chart : report.experiment->charts)
            for (Plot& plot : chartPlots(report, chart))
                plots.push_back(std::move(plot));
    std::stable_partition(plots.begin(), plots.end(), [](const Plot& plot) { return !isOfPaper(plot); });
    return plots;
}

} // namespace headscope::figures
