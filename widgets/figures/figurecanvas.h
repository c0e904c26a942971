// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every part of a figure is drawn with, in units of 1/100 mm on any QPainter. GUI thread (it measures fonts).

#include "widgets/figures/figure.h"

#include <QFont>
#include <QFontMetricsF>

#include <limits>

class QPainter;

namespace headscope::widgets {

/// How a figure is made to fit its paper.
struct FigureFit {
    int columns = 1;
    double stretch = 1; ///< how much higher than usual charts are drawn, and below 1 how much smaller maps are
    double letters = 1; ///< how much smaller letters are than was asked for, where nothing else helps
    int rows = std::numeric_limits<int>::max(); ///< that a table, or bars, show at most; where small letters do not
                                                ///< help either
};

/// What is drawn of a text: the beginning and the end of one that is longer than any page, since laying out takes more
/// than its length.
[[nodiscard]] QString drawn(const QString& words);

/// Measures what is drawn.
class FigureMetrics : public QFontMetricsF
{
public:
    using QFontMetricsF::QFontMetricsF;
    [[nodiscard]] double horizontalAdvance(const QString& words) const
    {
        return QFontMetricsF::horizontalAdvance(drawn(words));
    }
    [[nodiscard]] QString elidedText(const QString& words, Qt::TextElideMode mode, double width) const
    {
        return QFontMetricsF::elidedText(drawn(words), mode, width);
    }
    [[nodiscard]] QRectF boundingRect(const QRectF& box, int flags, const QString& words) const
    {
        return QFontMetricsF::boundingRect(box, flags, drawn(words));
    }
};

/// Sizes, colours and letters of a figure, and where it is drawn to. Without a painter nothing is drawn and only
/// heights are found, so that measuring and drawing cannot disagree.
class FigureCanvas
{
public:
    static constexpr double kUnitsPerMm = 100;

    FigureCanvas(QPainter* painter, const FigureStyle& style, const FigureFit& fit);

protected:
    void text(const QRectF& box, int flags, const QString& words, const QFont& font, const QColor& color);
    void line(const QPointF& from, const QPointF& to, const QColor& color, double width,
              Qt::PenStyle style = Qt::SolidLine);
    void fill(const QRectF& rect, const QColor& color);
    /// An empty frame in the colour of letters.
    void outline(const QRectF& place, double wide);
    /// "… and 12 more" at (x, y), where the fit leaves rows out; the height that it takes.
    double rowsLeftOut(std::size_t all, double x, double y);
    [[nodiscard]] QFont fontOf(double scale, bool bold = false) const;
    [[nodiscard]] double textWidth(const QString& words) const
    {
        return FigureMetrics(m_font).horizontalAdvance(words);
    }

    QPainter* m_painter;
    FigureStyle m_style;
    Theme m_theme;
    FigureFit m_fit;
    double m_width; ///< units
    double m_gap;   ///< units, a third of a line
    QFont m_font;
    double m_line; ///< units, height of a line of labels
    double m_thin; ///< units, width of axes
};

/// The family that figures are drawn with when none is chosen: DejaVu Sans, which has every letter we draw, or else the
/// application's.
[[nodiscard]] QString figureFontFamily();

} // namespace headscope::widgets
