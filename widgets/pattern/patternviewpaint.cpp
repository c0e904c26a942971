// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of PatternView.
#include "widgets/pattern/patternview.h"

#include "widgets/look/numbertext.h"

#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMargin = 6;
constexpr double kStrip = 7; // bracket strip above and left of the map
constexpr double kStripGap = 2;
constexpr double kBarLength = 84; // shortest colour bar
constexpr int kTitleLines = 2;

bool plays(const PatternData& data, Role role)
{
    return std::any_of(data.segments.begin(), data.segments.end(),
                       [role](const TokenSpan& span) { return span.role == role; });
}

} // namespace

double PatternView::legendWidth() const
{
    const QFontMetricsF metrics(font());
    double width = 0;
    for (const Role role : kRoles)
        if (plays(m_data, role))
            width += metrics.ascent() * 0.7 + 4 + metrics.horizontalAdvance(roleName(role)) + 12;
    return width;
}

double PatternView::barWidth() const
{
    const QFontMetricsF metrics(font());
    const std::vector<ScaleTick> ticks = m_scale.ticks();
    return metrics.horizontalAdvance(m_scale.name()) + metrics.horizontalAdvance(ticks.front().text)
           + metrics.horizontalAdvance(ticks.back().text) + kBarLength + 18;
}

PatternView::Layout PatternView::layoutNow() const
{
    const QFontMetricsF metrics(font());
    const double line = metrics.height();
    const double room = width() - 2 * kMargin;
    Layout layout;
    layout.title = QRectF(kMargin, 2, room, kTitleLines * line + 2);
    layout.leftGutter = m_labelWidth + 6 + kStrip + kStripGap;
    layout.bottomGutter = m_labelWidth + 6;
    const double legend = legendWidth();
    const double footer = (legend > 0 ? 3 : 2) * (line + 3) + 4;
    const double left = kMargin + layout.leftGutter;
    const double top = layout.title.bottom() + 4 + kStrip + kStripGap;
    const double bottom = height() - footer - layout.bottomGutter;
    layout.map = QRectF(left, top, std::max(0.0, width() - kMargin - left), std::max(0.0, bottom - top));
    const PatternGeometry geometry(layout.map, m_data.rows(), m_data.cols(), m_viewport);
    double y = geometry.plot().bottom() + layout.bottomGutter + 2;
    // Legend and bar never share a row: two views beside each other keep maps of one size, whatever their scales say.
    layout.legend = QRectF(kMargin, y, legend, line);
    if (legend > 0)
        y += line + 3;
    layout.bar = QRectF(kMargin, y, std::max(0.0, std::min(room, barWidth() + 120)), line);
    layout.readout = QRectF(kMargin, y + line + 3, room, line);
    return layout;
}

void PatternView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const Layout layout = layoutNow();
    if (m_data.empty()) {
        painter.setPen(themeOf(palette()).muted);
        painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
    } else {
        const PatternGeometry geometry(layout.map, m_data.rows(), m_data.cols(), m_viewport);
        paintTitle(painter, layout);
        if (geometry.valid()) {
            paintMap(painter, geometry);
            paintSegments(painter, geometry);
            paintTokens(painter, geometry);
            paintOverlay(painter, geometry);
            paintColorBar(painter, layout);
        }
        paintLegend(painter, layout.legend);
        paintReadout(painter, layout.readout);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void PatternView::paintTitle(QPainter& painter, const Layout& layout) const
{
    const Theme theme = themeOf(palette());
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(layout.title, Qt::AlignLeft | Qt::AlignTop, m_data.head);
    const double used = QFontMetricsF(bold).horizontalAdvance(m_data.head) + 8;
    painter.setFont(font());
    painter.setPen(theme.muted);
    // What the numbers are is never cut where there is any room for it: it goes on in the second line.
    const QFontMetricsF metrics(font());
    QTextLayout text(m_data.meaning, font());
    text.beginLayout();
    double y = layout.title.top();
    for (int i = 0; i < kTitleLines; ++i, y += metrics.height()) {
        const double indent = i == 0 ? used : 0;
        QTextLine line = text.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(std::max(1.0, layout.title.width() - indent));
        const QString rest = m_data.meaning.mid(line.textStart());
        const QString here = i + 1 < kTitleLines ? rest.left(line.textLength())
                                                 : metrics.elidedText(rest, Qt::ElideRight, layout.title.width());
        painter.drawText(QPointF(layout.title.left() + indent, y + metrics.ascent()), here);
    }
    text.endLayout();
}

void PatternView::paintMap(QPainter& painter, const PatternGeometry& geometry)
{
    if (m_frame.isNull() || m_framePlot != geometry.plot() || !(m_frameViewport == geometry.viewport())
        || m_frame.devicePixelRatio() != devicePixelRatioF()) {
        const ColorTable colors = colorTable(m_scale.colorMap(), themeOf(palette()).unused.rgb());
        m_frame = m_pyramid.render(geometry, colors, devicePixelRatioF());
        m_framePlot = geometry.plot();
        m_frameViewport = geometry.viewport();
    }
    painter.setOpacity(m_stale ? 0.35 : 1.0);
    painter.drawImage(geometry.plot().topLeft(), m_frame);
    painter.setOpacity(1.0);
}

void PatternView::paintSegments(QPainter& painter, const PatternGeometry& geometry) const
{
    const QRectF plot = geometry.plot();
    for (const TokenSpan& span : m_data.segments) {
        QColor color = roleColor(span.role);
        const bool faded = !span.target && (span.role == Role::Key || span.role == Role::Value);
        color.setAlphaF(faded ? 0.45F : 1.0F);
        const double x0 = std::max(geometry.xOf(span.begin), plot.left());
        const double x1 = std::min(geometry.xOf(span.end), plot.right());
        if (x1 > x0)
            painter.fillRect(QRectF(x0, plot.top() - kStripGap - kStrip, std::max(1.0, x1 - x0), kStrip), color);
        if (!m_data.rowLabels.isEmpty())
            continue;
        const double y0 = std::max(geometry.yOf(span.begin), plot.top());
        const double y1 = std::min(geometry.yOf(span.end), plot.bottom());
        if (y1 > y0)
            painter.fillRect(QRectF(plot.left() - kStripGap - 4, y0, 4, std::max(1.0, y1 - y0)), color);
    }
}

void PatternView::paintTokens(QPainter& painter, const PatternGeometry& geometry) const
{
    const Theme theme = themeOf(palette());
    const QFontMetricsF metrics(font());
    const QRectF plot = geometry.plot();
    QFont bold = font();
    bold.setBold(true);
    const auto draw = [&](const QRectF& box, int flags, const QStringList& names, int token, bool marked) {
        painter.setFont(marked ? bold : font());
        painter.setPen(marked ? theme.crosshair : theme.text);
        const QString label = tokenLabelAt(names, token);
        painter.drawText(box, flags, QFontMetricsF(painter.font()).elidedText(label, Qt::ElideRight, m_labelWidth + 4));
    };
    const int pinnedRow = m_crossRow >= 0 ? m_crossRow : profileRow();
    const double right = plot.left() - kStripGap - 8;
    for (const AxisLabel& label : placeLabels(geometry.rowSpan(), metrics.height() * 0.95, pinnedRow))
        draw(QRectF(right - m_labelWidth - 4, label.centre - metrics.height() / 2, m_labelWidth + 4, metrics.height()),
             Qt::AlignRight | Qt::AlignVCenter, m_data.rowNames(), label.token, label.token == pinnedRow);
    for (const AxisLabel& label : placeLabels(geometry.columns(), metrics.height() * 0.95, m_crossCol)) {
        painter.save();
        painter.translate(label.centre, plot.bottom() + 4);
        painter.rotate(-90);
        draw(QRectF(-m_labelWidth - 4, -metrics.height() / 2, m_labelWidth + 4, metrics.height()),
             Qt::AlignRight | Qt::AlignVCenter, m_data.tokens, label.token, label.token == m_crossCol);
        painter.restore();
    }
    painter.setFont(font());
}

void PatternView::paintOverlay(QPainter& painter, const PatternGeometry& geometry) const
{
    const Theme theme = themeOf(palette());
    const QRectF plot = geometry.plot();
    painter.save();
    painter.setClipRect(plot);
    painter.setBrush(Qt::NoBrush);
    const auto rowBox = [&](int row) {
        return QRectF(plot.left() - 1, geometry.yOf(row), plot.width() + 2, std::max(1.0, geometry.cellHeight()));
    };
    if (m_lockedRow >= 0) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRect(rowBox(m_lockedRow));
    }
    if (m_crossRow >= 0 && m_crossCol >= 0) {
        const QRectF cell = geometry.cellRect(m_crossRow, m_crossCol);
        const QPointF centre = cell.center();
        QColor line = theme.crosshair;
        line.setAlphaF(0.9F);
        painter.setPen(QPen(line, 1));
        painter.drawLine(QPointF(plot.left(), centre.y()), QPointF(plot.right(), centre.y()));
        painter.drawLine(QPointF(centre.x(), plot.top()), QPointF(centre.x(), plot.bottom()));
        if (cell.width() >= 5) {
            painter.setPen(QPen(Qt::white, 3));
            painter.drawRect(cell);
            painter.setPen(QPen(theme.crosshair.darker(130), 1.4));
            painter.drawRect(cell);
        }
    }
    painter.restore();
}

void PatternView::paintColorBar(QPainter& painter, const Layout& layout) const
{
    const Theme theme = themeOf(palette());
    const QFontMetricsF metrics(font());
    const std::vector<ScaleTick> ticks = m_scale.ticks();
    const QString low = ticks.front().text;
    const QString high = ticks.back().text;
    const QRectF box = layout.bar;
    const double ends = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 18;
    const QString name =
        metrics.elidedText(m_scale.name(), Qt::ElideRight, std::max(0.0, box.width() - ends - kBarLength / 2));
    double x = box.left();
    const auto write = [&](const QString& text) {
        painter.drawText(QPointF(x, box.top() + metrics.ascent()), text);
        x += metrics.horizontalAdvance(text) + 6;
    };
    painter.setPen(theme.muted);
    write(name);
    write(low);
    const double end = box.right() - metrics.horizontalAdvance(high) - 6;
    for (double at = x; at < end; at += 1) {
        const double t = (at - x + 0.5) / std::max(1.0, end - x);
        painter.fillRect(QRectF(at, box.center().y() - 4, 1, 8), QColor(colorAt(m_scale.colorMap(), t)));
    }
    // A log bar's ends lie between powers of ten: marks show where those are.
    for (const ScaleTick& tick : ticks)
        if (tick.position > 0.02 && tick.position < 0.98)
            painter.drawLine(QPointF(x + tick.position * (end - x), box.center().y() + 4),
                             QPointF(x + tick.position * (end - x), box.center().y() + 6));
    x = end + 6;
    write(high);
}

void PatternView::paintLegend(QPainter& painter, const QRectF& box) const
{
    const QFontMetricsF metrics(font());
    const double side = metrics.ascent() * 0.7;
    double x = box.left();
    painter.setPen(themeOf(palette()).muted);
    for (const Role role : kRoles) {
        if (!plays(m_data, role))
            continue;
        painter.fillRect(QRectF(x, box.center().y() - side / 2, side, side), roleColor(role));
        painter.drawText(QPointF(x + side + 4, box.top() + metrics.ascent()), roleName(role));
        x += side + 4 + metrics.horizontalAdvance(roleName(role)) + 12;
    }
}

void PatternView::paintReadout(QPainter& painter, const QRectF& box) const
{
    painter.setPen(themeOf(palette()).crosshair);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(font()).elidedText(readout(), Qt::ElideRight, box.width()));
}

} // namespace headscope::widgets
