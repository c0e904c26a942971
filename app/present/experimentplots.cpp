// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/experimentplots.h"

#include "app/present/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::gui {

namespace {

using experiments::Cell;
using experiments::Chart;
using experiments::Report;
using experiments::Row;
using experiments::Table;
using widgets::Plot;
using widgets::PlotPoint;
using widgets::PlotSeries;

struct ExperimentPlots {
    Q_DECLARE_TR_FUNCTIONS(ExperimentPlots)
};

PlotPoint pointOf(double x, const Cell& cell)
{
    PlotPoint point{x, *cell.value, {}};
    if (cell.interval)
        point.interval = {cell.interval->low, cell.interval->high};
    return point;
}

QString nameOf(const Table& table, const Chart& chart, const Row& row)
{
    QStringList parts;
    for (const std::string& key : chart.series)
        if (table.distinct(key).size() > 1 || chart.series.size() == 1)
            parts.append(text(table.text(row, key)));
    return parts.join(QStringLiteral(", "));
}

/// The line of that name, made with the next free tone where it is not there yet.
PlotSeries& seriesNamed(Plot& plot, const QString& name)
{
    const auto found = std::find_if(plot.series.begin(), plot.series.end(),
                                    [&](const PlotSeries& series) { return series.name == name; });
    if (found != plot.series.end())
        return *found;
    constexpr PlotSeries::Tone kTones[] = {PlotSeries::Tone::First, PlotSeries::Tone::Second, PlotSeries::Tone::Third,
                                           PlotSeries::Tone::Fourth};
    const bool control = name.contains(QLatin1String("random")) || name.contains(QLatin1String("control"));
    const auto coloured = std::count_if(plot.series.begin(), plot.series.end(), [](const PlotSeries& series) {
        return series.tone != PlotSeries::Tone::Control;
    });
    plot.series.push_back(
        {name, control ? PlotSeries::Tone::Control : kTones[std::min<std::ptrdiff_t>(coloured, 3)], {}});
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

/// What a row of dots is called: all its texts but the model's where there is one model.
QString conditionOf(const Table& table, const Row& row)
{
    QStringList parts;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].unit == experiments::Unit::Text && table.columns[c].key != "mixers"
            && (table.columns[c].key != "model" || table.distinct("model").size() > 1)
            && table.distinct(table.columns[c].key).size() > 1)
            parts.append(text(row.cells[c].text));
    return parts.join(QStringLiteral(" · "));
}

Plot plotOf(const Report& report, const Chart& chart, const std::string& key)
{
    const Table& table = report.table;
    const experiments::Column& column = table.columns[table.column(key)];
    const bool words = table.columns[table.column(chart.x)].unit == experiments::Unit::Text;
    Plot plot{.title = text(experiments::heading(table, key)),
              .xTitle = text(experiments::heading(table, chart.x)),
              .share = column.unit == experiments::Unit::Share};
    PlotSeries paper{ExperimentPlots::tr("the paper's models"), PlotSeries::Tone::Paper, {}};
    for (const Row& row : table.rows) {
        const Cell& cell = table.cell(row, key);
        const auto x = table.value(row, chart.x);
        if (!cell.value || (!words && !x))
            continue;
        const double at = words ? placeOf(plot.conditions, conditionOf(table, row)) : *x;
        seriesNamed(plot, words ? QString() : nameOf(table, chart, row)).points.push_back(pointOf(at, cell));
        if (cell.chance)
            plot.guessing = cell.chance;
        if (words && row.paper >= 0)
            if (const auto value = report.experiment->paper[static_cast<std::size_t>(row.paper)].find(key))
                paper.points.push_back({at, *value, {}});
    }
    if (!paper.points.empty())
        plot.series.push_back(std::move(paper));
    return plot;
}

} // namespace

std::vector<Plot> experimentPlots(const Report& report)
{
    std::vector<Plot> plots;
    if (report.experiment->charts.empty())
        return plots;
    Chart chart = report.experiment->charts.front();
    if (chart.kind == Chart::Kind::Map) // of pairs: the value alone, a pair a line
        chart.y.resize(1);
    for (const std::string& key : chart.y) {
        Plot plot = plotOf(report, chart, key);
        if (!plot.series.empty())
            plots.push_back(std::move(plot));
    }
    return plots;
}

} // namespace headscope::gui
