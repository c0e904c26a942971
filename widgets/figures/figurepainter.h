// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a figure in units of 1/100 mm on any QPainter. GUI thread (it measures fonts).

#include "widgets/figures/figure.h"
#include "widgets/pattern/tokenaxis.h"

#include <QFont>
#include <QFontMetricsF>

#include <functional>
#include <limits>

class QPainter;

namespace headscope::widgets {

/// How a figure is made to stand on its paper.
struct FigureFit {
    int columns = 1;
    double stretch = 1; ///< how much higher than usual charts are drawn, and below 1 how much smaller maps are
    double letters = 1; ///< how much smaller letters are than was asked for, where nothing else helps
    int rows = std::numeric_limits<int>::max(); ///< that a table, or bars, show at most; where small letters do not
                                                ///< help either
};

/// The tokens along a side of a map.
struct NamedAxis {
    QStringList tokens;
    int count = 0;
    int every = 0; ///< 0: as many names as fit
    LabelChoice choice;
};

/// Draws from top to bottom. Without a painter nothing is drawn and only the height is found, so that measuring and
/// drawing can not disagree.
class FigurePainter
{
public:
    static constexpr double kUnitsPerMm = 100;

    FigurePainter(QPainter* painter, const FigureStyle& style, const FigureFit& fit);
    /// Height used, in 1/100 mm. The width is style.widthMm.
    double draw(const Figure& figure, double top = 0);
    /// Fills style.heightMm where it is not 0, with the largest plots that it has room for.
    [[nodiscard]] static FigureFit fitFor(const Figure& figure, const FigureStyle& style);

private:
    // figurepainter.cpp
    double panels(const Figure& figure, double y);
    [[nodiscard]] double narrowest(const Figure& figure) const; ///< a column in which its panels can be read
    double panel(const FigurePanel& panel, const QString& letter, const QRectF& box);
    double rowsLeftOut(std::size_t all, double x, double y);
    [[nodiscard]] QString printed(const QString& provenance) const;
    double paragraph(const QString& text, const QFont& font, const QColor& color, double y);
    void text(const QRectF& box, int flags, const QString& words, const QFont& font, const QColor& color);
    void line(const QPointF& from, const QPointF& to, const QColor& color, double width,
              Qt::PenStyle style = Qt::SolidLine);
    void fill(const QRectF& rect, const QColor& color);
    [[nodiscard]] QFont fontOf(double scale, bool bold = false) const;
    [[nodiscard]] double textWidth(const QString& words) const
    {
        return QFontMetricsF(m_font).horizontalAdvance(words);
    }

    // figurefit.cpp
    [[nodiscard]] double columnWidth(int columns) const;

    // figuretable.cpp
    double content(const TableFigure& figure, const QRectF& box);
    double onePart(const TableFigure& figure, const QRectF& box);
    [[nodiscard]] std::vector<TableFigure> parts(const TableFigure& figure, double width) const;
    [[nodiscard]] double narrowest(const TableFigure& figure) const;
    [[nodiscard]] QColor toneColor(TableCell::Tone tone) const;

    // figuremaps.cpp
    double content(const PatternFigure& figure, const QRectF& box);
    double content(const RowFigure& figure, const QRectF& box);
    double content(const HeadMapFigure& figure, const QRectF& box);
    double content(const EdgeFigure& figure, const QRectF& box);
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
    double segmentLegend(const Figure& figure, double y);
    [[nodiscard]] double labelRoom(const QStringList& tokens) const;

    // figurecharts.cpp
    struct Axis {
        double low = 0, high = 1, step = 0.2;
    };
    [[nodiscard]] double titleHeight(const QString& title, double width) const;
    double content(const ChartFigure& figure, const QRectF& box);
    double content(const BarFigure& figure, const QRectF& box);
    void dotsOf(const BarFigure::Bar& bar, const QRectF& plot, const Axis& axis, double y, double step);
    void curve(const ChartCurve& curve, const QRectF& plot, const Axis& x, const Axis& y);
    void xTicks(const ChartFigure& figure, const Axis& x, const QRectF& plot);
    void marker(const QPointF& at, int shape, const QColor& color);
    void sample(const QPointF& at, double width, const ChartCurve& curve);
    double legend(const std::vector<ChartCurve>& entries, bool bars, const QRectF& box);
    void whisker(const Estimate& estimate, const QRectF& plot, const Axis& axis, double across, bool vertical,
                 const QColor& color);
    [[nodiscard]] QColor curveColor(int color) const;
    [[nodiscard]] QColor colorOf(const ChartCurve& curve) const;

    // figureplots.cpp
    double content(const Plot& plot, const QRectF& box);
    [[nodiscard]] double narrowest(const Plot& plot) const;
    double plotDots(const Plot& plot, const QRectF& box);
    double plotLines(const Plot& plot, const QRectF& box);
    double plotGrid(const Plot& plot, const QRectF& box);
    [[nodiscard]] double namesBeside(const PlotGrid& grid) const;
    [[nodiscard]] double widestCell(const PlotGrid& grid) const;
    [[nodiscard]] double cellWidth(const PlotGrid& grid, double width) const;
    [[nodiscard]] double narrowest(const PlotGrid& grid) const;
    double plotLegend(const Plot& plot, const QRectF& box);
    void magnitudeTicks(const Axis& x, const QRectF& plot);
    void plotBar(const QRectF& bar, PlotSeries::Tone tone, const QString& number);
    void outline(const QRectF& place, double wide);
    [[nodiscard]] double widestName(const Plot& plot) const;
    [[nodiscard]] bool namesAbove(const Plot& plot, double width) const;
    void alignNames(const Figure& figure, double width);
    void plotSeries(const Plot& plot, const std::function<QPointF(double, double)>& at);
    void plotNames(const Plot& plot, const QRectF& area, const std::function<QPointF(double, double)>& at);
    double plotRemarks(const QStringList& remarks, const QRectF& box);
    void plotEnds(const Plot& plot, const QRectF& area, const std::function<QPointF(double, double)>& at);
    void plotMark(const QPointF& at, const PlotSeries& series);
    [[nodiscard]] Axis valueAxis(const Plot& plot, int parts) const;
    [[nodiscard]] QColor toneOf(PlotSeries::Tone tone) const;

    QPainter* m_painter;
    FigureStyle m_style;
    Theme m_theme;
    FigureFit m_fit;
    double m_width; ///< units
    double m_gap;   ///< units, a third of a line
    QFont m_font;
    double m_line;                  ///< units, height of a line of labels
    double m_thin;                  ///< units, width of axes
    double m_namesHigh = 0;         ///< units, of the names above plots that are drawn
    bool m_linesBelowNames = false; ///< in all of them
};

/// The family that figures are drawn with when none is chosen: DejaVu Sans, which has every letter we draw, or else the
/// application's.
[[nodiscard]] QString figureFontFamily();

} // namespace headscope::widgets
