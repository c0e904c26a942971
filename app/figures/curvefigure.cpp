// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/curvefigure.h"

#include "app/figures/offscreen.h"
#include "app/figures/source.h"
#include "widgets/figures/figurerenderer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace headscope::figures {

namespace {

constexpr std::size_t kHeadLines = 4;

} // namespace

CurvePanel seriesCurves(const sessions::AnalysisRecord& series)
{
    const auto question = nlohmann::json::parse(series.key.questionJson, nullptr, false);
    const auto word = [&](const char* key) {
        return question.is_object() && question.contains(key) && question[key].is_string()
                   ? question[key].get<std::string>()
                   : std::string();
    };
    CurvePanel panel{.heading = {},
                     .xTitle = FigureText::tr("training step").toStdString(),
                     .yTitle = word("what"),
                     .share = false,
                     .lines = {{.name = {}, .points = {}}}};
    std::map<std::string, CurveLine> heads;
    bool largest = false;
    for (const sessions::AnalysisValue& value : series.values) {
        const double step = text(value.words).toDouble();
        if (value.measure == "head")
            heads[value.part].points.emplace_back(step, value.value);
        if (value.measure != "series")
            continue;
        panel.lines.front().points.emplace_back(step, value.value);
        panel.lines.front().intervals.emplace_back(value.low, value.high);
        largest = largest || !value.receiver.empty();
    }
    panel.lines.front().name = !word("head").empty() ? word("head")
                               : largest             ? FigureText::tr("largest").toStdString()
                                                     : FigureText::tr("value").toStdString();
    std::vector<CurveLine> atEnd;
    for (auto& [name, line] : heads)
        atEnd.push_back({.name = name, .points = std::move(line.points)});
    std::ranges::stable_sort(atEnd, std::greater(), [](const CurveLine& line) { return line.points.back().second; });
    atEnd.resize(std::min(atEnd.size(), kHeadLines));
    panel.lines.insert(panel.lines.end(), atEnd.begin(), atEnd.end());
    return panel;
}

widgets::ChartFigure chartOf(const CurvePanel& panel)
{
    widgets::ChartFigure chart{.xTitle = text(panel.xTitle), .yTitle = text(panel.yTitle)};
    chart.integerX = false;
    chart.share = panel.share;
    for (const CurveLine& line : panel.lines) {
        if (line.points.empty())
            continue;
        widgets::ChartCurve curve{.name = text(line.name), .color = static_cast<int>(chart.curves.size())};
        for (std::size_t i = 0; i < line.points.size(); ++i) {
            widgets::ChartPoint point{line.points[i].first, {.value = line.points[i].second}};
            if (i < line.intervals.size())
                std::tie(point.y.low, point.y.high) = line.intervals[i];
            curve.points.push_back(point);
        }
        chart.curves.push_back(std::move(curve));
    }
    return chart;
}

Result<void> writeCurves(const std::vector<CurvePanel>& panels, const std::string& title, const std::string& provenance,
                         const std::string& path)
{
    const OffscreenQt qt;
    widgets::Figure figure{.title = text(title), .provenance = text(provenance), .columns = 0};
    for (const CurvePanel& panel : panels) {
        widgets::ChartFigure chart = chartOf(panel);
        if (!chart.curves.empty())
            figure.panels.push_back({text(panel.heading), std::move(chart)});
    }
    if (figure.panels.empty())
        return inputError("There is nothing to draw yet.");
    return widgets::writeFigure(figure, {.widthMm = 175}, text(path));
}

} // namespace headscope::figures
