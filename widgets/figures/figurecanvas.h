// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The drawing surface of all parts of a figure, in units of 1/100 mm on any QPainter. GUI thread (it measures fonts).

#include "widgets/figures/figure.h"

#include <QFont>
#include <QFontMetricsF>

#include <limits>

class QPainter;

namespace headscope::widgets {

/// Adjustments that fit a figure to its paper.
struct FigureFit {
    int columns = 1;
    double stretch = 1; ///< height of charts relative to the usual one; below 1 also the size of maps
    double letters = 1; ///< size of letters relative to the requested one, reduced only if nothing else helps
    int rows = std::numeric_limits<int>::max(); ///< upper limit of the rows of tables and bars; reduced only if small
                                                ///< letters do not suffice either
};

/// Returns the part of a text that is drawn: for a text longer than any page its beginning and end, since laying out
/// text takes more than linear time.
[[nodiscard]] QString drawn(const QString& words);

/// Measures the text that is drawn.
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

/// The sizes, colours and fonts of a figure, and its painter. Without a painter nothing is drawn and only heights are
/// computed, so that measuring and drawing always agree.
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
    /// Draws an empty frame in the text colour.
    void outline(const QRectF& place, double wide);
    /// Draws "… and 12 more" at (x, y) if the fit leaves rows out; returns the height used.
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

/// Returns the default font family of figures: DejaVu Sans, which has all characters used, or else the application's
/// font.
[[nodiscard]] QString figureFontFamily();

} // namespace headscope::widgets
