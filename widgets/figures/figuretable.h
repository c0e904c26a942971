// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws tables in a figure. GUI thread.

#include "widgets/figures/figurecanvas.h"

namespace headscope::widgets {

class TablePainter : public FigureCanvas
{
public:
    explicit TablePainter(const FigureCanvas& canvas) : FigureCanvas(canvas) {}

    /// Draws a table and returns the height used.
    double draw(const TableFigure& figure, const QRectF& box);
    /// Returns the smallest width at which the table is readable.
    [[nodiscard]] double narrowest(const TableFigure& figure) const;

private:
    double onePart(const TableFigure& figure, const QRectF& box);
    [[nodiscard]] std::vector<TableFigure> parts(const TableFigure& figure, double width) const;
    [[nodiscard]] QColor toneColor(TableCell::Tone tone) const;
};

} // namespace headscope::widgets
