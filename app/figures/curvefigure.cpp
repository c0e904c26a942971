// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/curvefigure.h"

#include "app/figures/offscreen.h"
#include "widgets/figures/figurerenderer.h"

namespace headscope::figures {

Result<void> writeCurves(const std::vector<CurvePanel>& panels, const std::string& title, const std::string& provenance,
                         const std::string& path)
{
    const auto text = [](const std::string& words) { return QString::fromStdString(words); };
    const OffscreenQt qt;
    widgets::Figure figure{.title = text(title), .provenance = text(provenance), .columns = 0};
    for (const CurvePanel& panel : panels) {
        widgets::ChartFigure chart{.xTitle = text(panel.xTitle), .yTitle = text(panel.yTitle)};
        chart.integerX = false;
        chart.share = panel.share;
        for (const CurveLine& line : panel.lines) {
            if (line.points.empty())
                continue;
            widgets::ChartCurve curve{.name = text(line.name), .color = static_cast<int>(chart.curves.size())};
            for (const auto& [x, y] : line.points)
                curve.points.push_back({x, {.value = y}});
            chart.curves.push_back(std::move(curve));
        }
        if (!chart.curves.empty())
            figure.panels.push_back({text(panel.heading), std::move(chart)});
    }
    if (figure.panels.empty())
        return inputError("There is nothing to draw yet.");
    return widgets::writeFigure(figure, {.widthMm = 175}, text(path));
}

} // namespace headscope::figures
