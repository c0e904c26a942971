// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws maps of patterns and of heads in a figure, and single rows of them. GUI thread.

#include "widgets/figures/figurecanvas.h"
#include "widgets/pattern/tokenaxis.h"

#include <functional>

namespace headscope::widgets {

/// The tokens along one side of a map.
struct NamedAxis {
    QStringList tokens;
    int count = 0;
    int every = 0; ///< 0: as many labels as fit
    LabelChoice choice;
};

class MapPainter : public FigureCanvas
{
public:
    explicit MapPainter(const FigureCanvas& canvas) : FigureCanvas(canvas) {}

    // Draw a figure and return the height used.
    double draw(const PatternFigure& figure, const QRectF& box);
    double draw(const RowFigure& figure, const QRectF& box);
    double draw(const HeadMapFigure& figure, const QRectF& box);
    double draw(const EdgeFigure& figure, const QRectF& box);
    /// Draws the legend of the prompt's segments below all panels; returns the height used.
    double segmentLegend(const Figure& figure, double y);

private:
    void headLabels(const HeadMapFigure& figure, const QRectF& cells, double cell);
    void headCell(const HeadMapFigure::Line& layer, std::size_t column, const QRectF& place,
                  const std::function<QColor(float)>& colorFor);
    void patternMap(const PatternFigure& figure, const QRectF& plot);
    void patternBrackets(const PatternData& data, const QRectF& plot);
    void tokenLabels(const NamedAxis& axis, const QRectF& plot, bool rows, double room);
    void colorBar(ColorMap map, const std::vector<ScaleTick>& ticks, const QString& name, const QRectF& bar,
                  const QRectF& panel);
    [[nodiscard]] double colorBarHeight(const QString& name, const QRectF& bar, const QRectF& panel) const;
    [[nodiscard]] std::vector<AxisLabel> namedTokens(const NamedAxis& axis, double start, double length) const;
    [[nodiscard]] double roomBelow(const NamedAxis& axis, double length) const;
    [[nodiscard]] double labelRoom(const QStringList& tokens) const;
};

} // namespace headscope::widgets
