// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws the results of experiments in a figure: dots by condition, lines with bands, scattered points. GUI thread.

#include "widgets/figures/figurecharts.h"

#include <functional>
#include <span>

namespace headscope::widgets {

/// The height of names above plots: adjacent plots begin at the same height, regardless of the number of their names.
struct PlotNames {
    double high = 0;         ///< units, of the tallest
    bool linesBelow = false; ///< plots over x have names above; then all of them do
};

class PlotPainter : public ChartPainter
{
public:
    explicit PlotPainter(const FigureCanvas& canvas, const PlotNames& names = {}) : ChartPainter(canvas), m_names(names)
    {
    }

    /// Draws a plot and returns the height used.
    double draw(const Plot& plot, const QRectF& box);
    /// Returns the smallest width at which the plot is readable.
    [[nodiscard]] double narrowest(const Plot& plot) const;
    /// Of panels that are so wide.
    [[nodiscard]] PlotNames namesAboveOf(std::span<const FigurePanel> panels, double width) const;

private:
    double plotDots(const Plot& plot, const QRectF& box);
    double plotLines(const Plot& plot, const QRectF& box);
    double plotLegend(const Plot& plot, const QRectF& box);
    void magnitudeTicks(const Axis& x, const QRectF& plot);
    void plotBar(const QRectF& bar, PlotSeries::Tone tone, const QString& number);
    [[nodiscard]] double widestName(const Plot& plot) const;
    [[nodiscard]] bool namesAbove(const Plot& plot, double width) const;
    void plotSeries(const Plot& plot, const std::function<QPointF(double, double)>& at);
    void plotNames(const Plot& plot, const QRectF& area, const std::function<QPointF(double, double)>& at);
    double plotRemarks(const QStringList& remarks, const QRectF& box);
    void plotEnds(const Plot& plot, const QRectF& area, const std::function<QPointF(double, double)>& at);
    void plotMark(const QPointF& at, const PlotSeries& series);
    [[nodiscard]] Axis valueAxis(const Plot& plot, int parts) const;
    [[nodiscard]] QColor toneOf(PlotSeries::Tone tone) const;

    PlotNames m_names;
};

} // namespace headscope::widgets
