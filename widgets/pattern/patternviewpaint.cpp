// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of PatternView.
#include "widgets/pattern/patternview.h"

#include "widgets/look/fitting.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/matrixwords.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kPaintMargin = 4;
constexpr double kStrip = 6; // bracket strip above and left of the map
constexpr double kStripGap = 2;
constexpr double kLabelGap = 3;
constexpr double kTagPadding = 8;
constexpr double kTagPart = 0.6; // of the heading, at most, where what the numbers are has to be cut anyway
constexpr double kTitleGap = 8;

void paintPill(QPainter& painter, const QRectF& box, const QPen& edge, const QColor& ground, const QPen& ink,
               const QString& words)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(edge);
    painter.setBrush(ground);
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(ink);
    painter.drawText(box, Qt::AlignCenter, words);
}

} // namespace

int PatternView::roomAbove() const
{
    return static_cast<int>(std::ceil(2 + QFontMetricsF(font()).height() + 2 + 2 + kStrip + kStripGap));
}

int PatternView::roomBeside() const
{
    return static_cast<int>(std::ceil(2 * kPaintMargin + m_labelWidth + kLabelGap + kStrip + kStripGap));
}

PatternView::Layout PatternView::layoutNow() const
{
    Layout layout;
    layout.title =
        QRectF(kPaintMargin, 2, std::max(0.0, width() - 2 * kPaintMargin), QFontMetricsF(font()).height() + 2);
    const double top = roomAbove();
    const double high = std::max(0.0, height() - top - 2);
    // Names are longer where the height is what bounds the map.
    const double spare = width() - 2 * kPaintMargin - kLabelGap - kStrip - kStripGap - high;
    layout.labels = std::clamp(spare, m_labelWidth, std::max(m_labelWidth, m_labelMost));
    const double left = kPaintMargin + layout.labels + kLabelGap + kStrip + kStripGap;
    layout.map = QRectF(left, top, std::max(0.0, width() - kPaintMargin - left), high);
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
        paintTitle(painter, layout.title);
        if (geometry.valid()) {
            paintMap(painter, geometry);
            paintSegments(painter, geometry);
            paintTokens(painter, geometry, layout.labels);
            paintOverlay(painter, geometry);
            paintNotice(painter, geometry);
        }
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void PatternView::paintTitle(QPainter& painter, const QRectF& box) const
{
    const Theme theme = themeOf(palette());
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(sideColor(theme, m_side));
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, m_data.head);
    const double used = QFontMetricsF(bold).horizontalAdvance(m_data.head) + kTitleGap;
    painter.setFont(font());
    const double tagged = paintTag(painter, box.adjusted(used, 0, 0, 0));
    painter.setPen(theme.muted);
    const QRectF rest = box.adjusted(used, 0, -tagged, 0);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     fitting(shorterWords(m_data.meaning), QFontMetricsF(font()), std::max(0.0, rest.width())));
}

QString PatternView::tag() const
{
    if (!m_tagShown || m_data.empty())
        return {};
    QFont bold = font();
    bold.setBold(true);
    const QFontMetricsF metrics(font());
    const double room = layoutNow().title.width() - QFontMetricsF(bold).horizontalAdvance(m_data.head) - kTitleGap;
    const double meaning = metrics.horizontalAdvance(shorterWords(m_data.meaning).last());
    const auto wide = [&](const QString& form) { return metrics.horizontalAdvance(form) + 3 * kTagPadding; };
    const auto fits = [&](const QString& form) { return wide(form) + meaning <= room; };
    if (const auto found = std::ranges::find_if(m_tag, fits); found != m_tag.end())
        return *found;
    return m_tag.isEmpty() || wide(m_tag.last()) > room * kTagPart ? QString() : m_tag.last();
}

/// The width that it takes of `box`, with a gap.
double PatternView::paintTag(QPainter& painter, const QRectF& box) const
{
    const QString words = tag();
    if (words.isEmpty())
        return 0;
    const double wide = QFontMetricsF(font()).horizontalAdvance(words) + 2 * kTagPadding;
    const QRectF pill(box.right() - wide, box.top(), wide, box.height());
    const Theme theme = themeOf(palette());
    paintPill(painter, pill, Qt::NoPen, sideGround(theme, m_side), sideColor(theme, m_side), words);
    return wide + kTagPadding;
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
    const double opacity = m_stale ? 0.35 : m_data.notice.isEmpty() ? 1.0 : 0.72;
    painter.setOpacity(opacity);
    if (m_fade.running() && m_before.size() == m_frame.size()) {
        painter.drawImage(geometry.plot().topLeft(), m_before);
        painter.setOpacity(opacity * m_fade.now());
    }
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

void PatternView::paintTokens(QPainter& painter, const PatternGeometry& geometry, double room) const
{
    const Theme theme = themeOf(palette());
    const QFontMetricsF metrics(font());
    QFont bold = font();
    bold.setBold(true);
    const int shown = m_crossRow >= 0 ? m_crossRow : profileRow();
    const double right = geometry.plot().left() - kStripGap - kStrip - kLabelGap;
    const double spacing = metrics.height() * 0.95;
    const auto places =
        m_data.rowLabels.isEmpty()
            ? placeLabels(geometry.rowSpan(), spacing,
                          labelChoice(m_data.tokens, m_data.segments,
                                      {shown, profileRow(), strongestIn(profileRow()), m_data.rows() - 1}))
            : placeLabels(geometry.rowSpan(), spacing, shown);
    for (const AxisLabel& label : places) {
        const bool marked = label.token == shown;
        painter.setFont(marked ? bold : font());
        painter.setPen(marked ? theme.crosshair : theme.text);
        // The first and the last row are lower than large letters: their names stay whole.
        const double top =
            std::clamp(label.centre - metrics.height() / 2, 0.0, std::max(0.0, height() - metrics.height()));
        painter.drawText(QRectF(right - room - 2, top, room + 2, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                         QFontMetricsF(painter.font())
                             .elidedText(tokenLabelAt(m_data.rowNames(), label.token), Qt::ElideRight, room + 2));
    }
    painter.setFont(font());
}

void PatternView::paintOverlay(QPainter& painter, const PatternGeometry& geometry) const
{
    const Theme theme = themeOf(palette());
    const QRectF plot = geometry.plot();
    painter.save();
    painter.setClipRect(plot.adjusted(-2, -2, 2, 2));
    painter.setBrush(Qt::NoBrush);
    const auto rowBox = [&](int row) {
        return QRectF(plot.left() - 1, geometry.yOf(row), plot.width() + 2, std::max(1.0, geometry.cellHeight()));
    };
    if (m_lockedRow >= 0 || m_data.rowLabels.isEmpty()) {
        painter.setPen(QPen(sideColor(theme, m_side), 1.5));
        painter.drawRect(rowBox(profileRow()));
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
    if (m_marking && m_dragging) {
        painter.setPen(QPen(theme.crosshair, 2, Qt::DashLine));
        painter.drawRect(QRectF(m_pressed, m_lastDrag).normalized());
    }
    painter.restore();
}

void PatternView::paintNotice(QPainter& painter, const PatternGeometry& geometry) const
{
    if (m_data.notice.isEmpty())
        return;
    const Theme theme = themeOf(palette());
    const QFontMetricsF metrics(font());
    const QRectF plot = geometry.plot();
    constexpr double kAround = 20, kFromEdge = 8;
    const bool fits = metrics.horizontalAdvance(m_data.notice) + kAround + 2 * kFromEdge <= plot.width();
    const QString words = fits ? m_data.notice : QStringLiteral("✕"); // the mark that the head map has for it
    const double wide = metrics.horizontalAdvance(words) + kAround, high = metrics.height() + 6;
    const QRectF pill(plot.right() - wide - kFromEdge, plot.top() + kFromEdge, wide, high);
    paintPill(painter, pill, QPen(theme.bad, 1.2), theme.base, theme.bad, words);
}

} // namespace headscope::widgets
