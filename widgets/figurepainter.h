// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a figure in units of 1/100 mm on any QPainter. GUI thread (it measures fonts).

#include "widgets/figure.h"

#include <QFont>

class QPainter;

namespace headscope::widgets {

/// Draws from top to bottom. Without a painter nothing is drawn and only the height is found, so that measuring and drawing
/// can not disagree.
class FigurePainter
{
public:
    static constexpr double kUnitsPerMm = 100;

    FigurePainter(QPainter* painter, const FigureStyle& style);
    /// Height used, in 1/100 mm. The width is style.widthMm.
    double draw(const Figure& figure);

private:
    double drawContent(const PatternFigure& figure, double y);
    double drawContent(const RowFigure& figure, double y);
    double drawContent(const TableFigure& figure, double y);
    double patternPanel(const PatternData& data, const PatternFigure& figure, const QRectF& box);
    void patternMap(const PatternData& data, const PatternScale& scale, const QRectF& plot);
    void patternBrackets(const PatternData& data, const QRectF& plot);
    void tokenLabels(const QStringList& tokens, int count, int every, const QRectF& plot, bool rows, double room);
    double colorBar(const PatternScale& scale, const QRectF& plot, double y);
    double legend(const PatternFigure& figure, double y);
    double rowPanel(Side side, const RowProfile& profile, double low, double high, int every, const QRectF& box);
    double paragraph(const QString& text, const QFont& font, const QColor& color, double y);
    void text(const QRectF& box, int flags, const QString& words, const QFont& font, const QColor& color);
    void line(const QPointF& from, const QPointF& to, const QColor& color, double width);
    [[nodiscard]] QFont fontOf(double scale, bool bold = false) const;

    QPainter* m_painter;
    FigureStyle m_style;
    Theme m_theme;
    double m_width; ///< units
    double m_gap;   ///< units, a third of a line
    QFont m_font;
    double m_line;  ///< units, height of a line of labels
};

} // namespace headscope::widgets
