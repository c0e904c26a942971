// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a figure: its title, its panels in columns, caption and provenance below. GUI thread (it measures fonts).

#include "widgets/figures/figurecanvas.h"
#include "widgets/figures/figureplots.h"

#include <span>

namespace headscope::widgets {

/// Draws a figure from top to bottom.
class FigurePainter : public FigureCanvas
{
public:
    using FigureCanvas::FigureCanvas;

    /// Draws the figure and returns the height used, in 1/100 mm. The width is style.widthMm.
    double draw(const Figure& figure, double top = 0);
    [[nodiscard]] double columnWidth(int columns) const;
    /// Returns the smallest column width at which its panels are readable.
    [[nodiscard]] double narrowest(const Figure& figure) const;

private:
    double panels(const Figure& figure, double y);
    /// Those of parts a, b, c.
    double composed(const Figure& figure, double y);
    double part(const Figure& figure, int number, const QRectF& box);
    double grid(std::span<const FigurePanel> panels, int columns, bool letters, const QRectF& box);
    double heading(const QString& letter, const QString& words, const QRectF& box);
    [[nodiscard]] double narrowest(const FigurePanel& panel) const;
    [[nodiscard]] double columnWidth(double width, int columns) const;
    double content(const FigurePanel& panel, const QRectF& box);
    [[nodiscard]] QString printed(const QString& provenance) const;
    double paragraph(const QString& text, const QFont& font, const QColor& color, double y);

    PlotNames m_names;
};

/// Returns the fit with the largest plots that fill style.heightMm; if that is 0, only chooses the columns.
[[nodiscard]] FigureFit fitFor(const Figure& figure, const FigureStyle& style);

} // namespace headscope::widgets
