// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patternmarks.h"

#include "widgets/look/numbertext.h"
#include "widgets/pattern/card/patternheading.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

void paintSegments(QPainter& painter, const PatternData& data, const PatternGeometry& geometry)
{
    const QRectF plot = geometry.plot();
    for (const TokenSpan& span : data.segments) {
        QColor color = roleColor(span.role);
        const bool faded = !span.target && (span.role == Role::Key || span.role == Role::Value);
        color.setAlphaF(faded ? 0.45F : 1.0F);
        const double x0 = std::max(geometry.xOf(span.begin), plot.left());
        const double x1 = std::min(geometry.xOf(span.end), plot.right());
        if (x1 > x0)
            painter.fillRect(QRectF(x0, plot.top() - kStripGap - kStrip, std::max(1.0, x1 - x0), kStrip), color);
        if (!data.rowLabels.isEmpty())
            continue;
        const double y0 = std::max(geometry.yOf(span.begin), plot.top());
        const double y1 = std::min(geometry.yOf(span.end), plot.bottom());
        if (y1 > y0)
            painter.fillRect(QRectF(plot.left() - kStripGap - 4, y0, 4, std::max(1.0, y1 - y0)), color);
    }
}

void paintRowNames(QPainter& painter, const PatternData& data, const PatternGeometry& geometry, const NamedRows& rows)
{
    const QFont font = painter.font();
    const QFontMetricsF metrics(font);
    QFont bold = font;
    bold.setBold(true);
    const double right = geometry.plot().left() - kStripGap - kStrip - kLabelGap;
    const double spacing = metrics.height() * 0.95;
    const auto places = data.rowLabels.isEmpty()
                            ? placeLabels(geometry.rowSpan(), spacing,
                                          labelChoice(data.tokens, data.segments,
                                                      {rows.shown, rows.profile, rows.strongest, data.rows() - 1}))
                            : placeLabels(geometry.rowSpan(), spacing, rows.shown);
    for (const AxisLabel& label : places) {
        const bool marked = label.token == rows.shown;
        painter.setFont(marked ? bold : font);
        painter.setPen(marked ? rows.theme.crosshair : rows.theme.text);
        // The first and the last row are lower than large letters: their names stay whole.
        const double top =
            std::clamp(label.centre - metrics.height() / 2, 0.0, std::max(0.0, rows.height - metrics.height()));
        painter.drawText(QRectF(right - rows.room - 2, top, rows.room + 2, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QFontMetricsF(painter.font())
                             .elidedText(tokenLabelAt(data.rowNames(), label.token), Qt::ElideRight, rows.room + 2));
    }
    painter.setFont(font);
}

void paintPointed(QPainter& painter, const PatternGeometry& geometry, const PointedCells& cells)
{
    const QRectF plot = geometry.plot();
    painter.save();
    painter.setClipRect(plot.adjusted(-2, -2, 2, 2));
    painter.setBrush(Qt::NoBrush);
    if (cells.boxedRow >= 0) {
        painter.setPen(QPen(sideColor(cells.theme, cells.side), 1.5));
        painter.drawRect(QRectF(plot.left() - 1, geometry.yOf(cells.boxedRow), plot.width() + 2,
                                std::max(1.0, geometry.cellHeight())));
    }
    if (cells.row >= 0 && cells.col >= 0) {
        const QRectF cell = geometry.cellRect(cells.row, cells.col);
        const QPointF centre = cell.center();
        QColor line = cells.theme.crosshair;
        line.setAlphaF(0.9F);
        painter.setPen(QPen(line, 1));
        painter.drawLine(QPointF(plot.left(), centre.y()), QPointF(plot.right(), centre.y()));
        painter.drawLine(QPointF(centre.x(), plot.top()), QPointF(centre.x(), plot.bottom()));
        if (cell.width() >= 5) {
            painter.setPen(QPen(Qt::white, 3));
            painter.drawRect(cell);
            painter.setPen(QPen(cells.theme.crosshair.darker(130), 1.4));
            painter.drawRect(cell);
        }
    }
    if (!cells.region.isNull()) {
        painter.setPen(QPen(cells.theme.crosshair, 2, Qt::DashLine));
        painter.drawRect(cells.region);
    }
    painter.restore();
}

void paintNotice(QPainter& painter, const QString& notice, const QRectF& plot, const Theme& theme)
{
    if (notice.isEmpty())
        return;
    const QFontMetricsF metrics(painter.font());
    constexpr double kAround = 20, kFromEdge = 8;
    const bool fits = metrics.horizontalAdvance(notice) + kAround + 2 * kFromEdge <= plot.width();
    const QString words = fits ? notice : QStringLiteral("✕"); // the mark that the head map has for it
    const double wide = metrics.horizontalAdvance(words) + kAround, high = metrics.height() + 6;
    paintPill(painter, {plot.right() - wide - kFromEdge, plot.top() + kFromEdge, wide, high},
              {words, QPen(theme.bad, 1.2), theme.base, theme.bad});
}

} // namespace headscope::widgets
