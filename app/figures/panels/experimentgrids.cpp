// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels/experimentgrids.h"

#include "app/figures/figurewords.h"
#include "core/experiments/paper/masks.h"
#include "core/experiments/paper/redundancy.h"
#include "core/experiments/words/language.h"

#include <QCoreApplication>

#include <cmath>
#include <limits>

namespace headscope::figures {

namespace {

using experiments::Chart;
using experiments::HalvedBy;
using experiments::Mask;
using experiments::Report;
using experiments::Row;
using experiments::Table;
using widgets::Plot;
using widgets::PlotSeries;

struct ExperimentGrids {
    Q_DECLARE_TR_FUNCTIONS(ExperimentGrids)
};

constexpr std::size_t kModelTones = 6;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

QString percentText(double share)
{
    return QString::number(std::lround(100 * share)) + QStringLiteral(" %");
}

void put(widgets::PlotGrid& grid, qsizetype row, qsizetype column, double value, const QString& words)
{
    const qsizetype at = row * grid.columns.size() + column;
    grid.values[static_cast<std::size_t>(at)] = value;
    grid.words[at] = words;
}

/// Cells for all names, nothing in them.
void clear(widgets::PlotGrid& grid)
{
    const qsizetype cells = grid.rows.size() * grid.columns.size();
    grid.values.assign(static_cast<std::size_t>(cells), kNothing);
    grid.words = QStringList(cells, QString());
    grid.most = 1;
}

QString columnName(const Table& table, const Row& row, const Chart& chart)
{
    return text(experiments::translatedName(table.text(row, chart.x)));
}

Plot layerMap(const Table& table, const Chart& chart, const std::string& model)
{
    const Table own = table.only("model", model);
    Plot plot{.title = text(experiments::translatedName(model)) + QStringLiteral(": ")
                       + text(experiments::translated(chart.title)),
              .xTitle = text(experiments::heading(table, chart.x))};
    for (const std::string& key : chart.y)
        plot.grid.rows.append(text(experiments::heading(own, key)));
    for (const Row& row : own.rows)
        plot.grid.columns.append(columnName(own, row, chart));
    clear(plot.grid);
    for (std::size_t k = 0; k < chart.y.size(); ++k)
        for (std::size_t i = 0; i < own.rows.size(); ++i) {
            const auto value = own.value(own.rows[i], chart.y[k]), first = own.value(own.rows.front(), chart.y[k]);
            if (value && first)
                put(plot.grid, static_cast<qsizetype>(k), static_cast<qsizetype>(i), *value - *first,
                    percentText(*value));
        }
    return plot;
}

/// The paper's rows are named "model" and "model, L17 replaced".
Plot paperLayers(const Report& report, const Chart& chart)
{
    const auto& paper = report.experiment->paper;
    const std::string model = paper.front().label.substr(0, paper.front().label.find(','));
    Plot plot{.title = ExperimentGrids::tr("the paper: %1").arg(text(model)),
              .xTitle = text(experiments::heading(report.table, chart.x))};
    plot.grid.hollow = true;
    std::vector<std::string> keys;
    for (const std::string& key : chart.y)
        if (paper.front().find(key)) {
            keys.push_back(key);
            const auto& column = report.table.columns[report.table.column(key)];
            plot.grid.rows.append(text(experiments::translated(column.title)));
        }
    for (const experiments::PaperRow& row : paper) {
        const auto comma = row.label.find(", ");
        plot.grid.columns.append(comma == std::string::npos
                                     ? text(experiments::translatedName("none"))
                                     : text(row.label.substr(comma + 2, row.label.find(' ', comma + 2) - comma - 2)));
    }
    clear(plot.grid);
    for (std::size_t k = 0; k < keys.size(); ++k)
        for (std::size_t i = 0; i < paper.size(); ++i)
            if (const auto value = paper[i].find(keys[k]))
                put(plot.grid, static_cast<qsizetype>(k), static_cast<qsizetype>(i),
                    *value - *paper.front().find(keys[k]), percentText(*value));
    return plot;
}

QString maskName(Mask mask)
{
    switch (mask) {
    case Mask::Whole: return ExperimentGrids::tr("whole");
    case Mask::Pattern: return ExperimentGrids::tr("pattern");
    case Mask::Random: return ExperimentGrids::tr("random");
    case Mask::Nothing: break;
    }
    return ExperimentGrids::tr("removed");
}

Plot maskMap(const Table& table, const Chart& chart, const std::string& model)
{
    const Table own = table.only("model", model);
    const std::string& key = chart.y.front();
    Plot plot{.title = text(model) + QStringLiteral(": ") + text(experiments::heading(own, key)),
              .xTitle = ExperimentGrids::tr("gather heads down, aggregate heads across")};
    constexpr Mask kMasks[] = {Mask::Whole, Mask::Pattern, Mask::Random, Mask::Nothing};
    for (const Mask mask : kMasks) {
        plot.grid.rows.append(maskName(mask));
        plot.grid.columns.append(maskName(mask));
    }
    clear(plot.grid);
    for (const experiments::MaskedState& state : experiments::maskedStates())
        if (const Row* row = own.find({{chart.x, state.name}}); row && own.value(*row, key))
            put(plot.grid, static_cast<qsizetype>(state.gather), static_cast<qsizetype>(state.aggregate),
                *own.value(*row, key), percentText(*own.value(*row, key)));
    return plot;
}

QString countName(const HalvedBy& one)
{
    return one.heads ? text(one.model) : ExperimentGrids::tr("%1: not by %2 heads").arg(text(one.model)).arg(one.tried);
}

Plot countBars(const std::vector<HalvedBy>& all, const std::string& key, const QString& benchmark,
               PlotSeries::Tone tone)
{
    Plot plot{.title = ExperimentGrids::tr("%1: removed heads that halve it").arg(benchmark)};
    plot.bars = true;
    const bool paper = tone == PlotSeries::Tone::Paper;
    for (const HalvedBy& one : all) {
        if (one.key != key)
            continue;
        const auto place = static_cast<double>(plot.conditions.size());
        plot.conditions.append(countName(one));
        // Models keep their colours, also where one of them is not halved.
        plot.series.push_back({{}, paper ? tone : static_cast<PlotSeries::Tone>(plot.series.size() % kModelTones), {}});
        if (one.heads)
            plot.series.back().points.push_back({place, *one.heads, {}});
    }
    return plot;
}

} // namespace

std::vector<Plot> layerMaps(const Report& report, const Chart& chart)
{
    std::vector<Plot> plots;
    for (const std::string& model : report.table.distinct("model"))
        plots.push_back(layerMap(report.table, chart, model));
    if (!report.experiment->paper.empty())
        plots.push_back(paperLayers(report, chart));
    return plots;
}

std::vector<Plot> maskMaps(const Report& report, const Chart& chart)
{
    std::vector<Plot> plots;
    for (const std::string& model : report.table.distinct("model"))
        plots.push_back(maskMap(report.table, chart, model));
    return plots;
}

std::vector<Plot> headCounts(const Report& report)
{
    std::vector<Plot> plots;
    const auto ours = experiments::halvedBy(report.table);
    for (const std::string key : {"mmlu", "kv"}) {
        Plot plot = countBars(ours, key, text(experiments::heading(report.table, key)), PlotSeries::Tone::First);
        if (!plot.series.empty())
            plots.push_back(std::move(plot));
    }
    const auto& column = report.table.columns[report.table.column("mmlu")];
    Plot paper = countBars(experiments::halvedByPaper(*report.experiment), "mmlu",
                           ExperimentGrids::tr("the paper: %1").arg(text(experiments::translated(column.title))),
                           PlotSeries::Tone::Paper);
    if (!plots.empty() && !paper.series.empty())
        plots.push_back(std::move(paper));
    return plots;
}

} // namespace headscope::figures
