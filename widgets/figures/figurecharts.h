// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws line and bar charts with axes in a figure. GUI thread.

#include "widgets/figures/figurecanvas.h"

namespace headscope::widgets {

class ChartPainter : public FigureCanvas
{
public:
    explicit ChartPainter(const FigureCanvas& canvas) : FigureCanvas(canvas) {}

    // Draw a figure and return the height used.
    double draw(const ChartFigure& figure, const QRectF& box);
    double draw(const BarFigure& figure, const QRectF& box);

protected:
    struct Axis {
        double low = 0, high = 1, step = 0.2;
    };
    [[nodiscard]] double titleHeight(const QString& title, double width) const;
    void marker(const QPointF& at, int shape, const QColor& color);
    void xTicks(const ChartFigure& figure, const Axis& x, const QRectF& plot);
    void whisker(const Estimate& estimate, const QRectF& plot, const Axis& axis, double across, bool vertical,
                 const QColor& color);
    [[nodiscard]] QColor curveColor(int color) const;

private:
    void dotsOf(const BarFigure::Bar& bar, const QRectF& plot, const Axis& axis, double y, double step);
    void curve(const ChartCurve& curve, const QRectF& plot, const Axis& x, const Axis& y);
    void sample(const QPointF& at, double width, const ChartCurve& curve);
    double legend(const std::vector<ChartCurve>& entries, bool bars, const QRectF& box);
    [[nodiscard]] QColor colorOf(const ChartCurve& curve) const;
};

} // namespace headscope::widgets
