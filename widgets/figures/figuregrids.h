// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws values as a grid of cells in a figure: layers by benchmarks, masks by masks, pairs of heads. GUI thread.

#include "widgets/figures/figurecanvas.h"

namespace headscope::widgets {

class GridPainter : public FigureCanvas
{
public:
    explicit GridPainter(const FigureCanvas& canvas) : FigureCanvas(canvas) {}

    /// Draws a plot that has a grid; returns the height used.
    double draw(const Plot& plot, const QRectF& box);
    /// Returns the smallest width at which the grid is readable.
    [[nodiscard]] double narrowest(const PlotGrid& grid) const;

private:
    [[nodiscard]] double namesBeside(const PlotGrid& grid) const;
    [[nodiscard]] double widestCell(const PlotGrid& grid) const;
    [[nodiscard]] double cellWidth(const PlotGrid& grid, double width) const;
};

} // namespace headscope::widgets
