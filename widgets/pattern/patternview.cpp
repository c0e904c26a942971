// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patternview.h"

#include "widgets/look/escape.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/pattern/card/patternheading.h"
#include "widgets/pattern/patternmarks.h"

#include <QAccessible>
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLeastLabel = 6; // characters of a row's name, whatever the map's size
constexpr int kMostLabel = 16;
constexpr double kPaintMargin = 4;

} // namespace

PatternView::PatternView(QWidget* parent) : QWidget(parent), m_hint(tr("Choose a head to see its pattern."))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    measureTokens();
    setAccessibleName(tr("Pattern"));
    setWhatsThis(tr("Pattern of a head: rows are the reading tokens (queries), columns the tokens they "
                    "read (keys). The wheel zooms, dragging pans, a click locks a row, R shows everything. Arrow keys "
                    "move the crosshair, Enter locks its row. Draw a rectangle with Shift held "
                    "to mark edges for a knockout."));
}

void PatternView::setPattern(const PatternData& pattern)
{
    const bool sameSize = pattern.rows() == m_data.rows() && pattern.cols() == m_data.cols();
    if (sameSize && !m_frame.isNull()) { // another text is another picture, not a change
        m_before = m_frame;
        m_fade.begin();
    }
    m_data = pattern;
    m_stale = false;
    m_exact = {};
    m_wantedCount = 0;
    if (!sameSize) {
        m_viewport = {};
        m_crossRow = m_crossCol = m_lockedRow = -1;
    }
    setAccessibleName(pattern.head.isEmpty() ? tr("Pattern") : tr("Pattern of %1").arg(pattern.head));
    measureTokens();
    rebuild();
    updateDescription();
    wantRows();
    Q_EMIT columnsMoved();
    Q_EMIT readoutChanged();
}

void PatternView::setExactRows(const PatternRowBlock& rows)
{
    if (m_data.pool <= 1 || !rows.values || rows.values->cols != m_data.cols())
        return;
    m_exact = rows;
    m_pyramid.setExactRows(rows.first, *rows.values, m_scale, m_data.causal);
    m_frame = {};
    update();
    updateDescription();
    Q_EMIT readoutChanged();
}

// A pooled map is readable down to one pixel an entry; closer, its rows are needed themselves.
void PatternView::wantRows()
{
    constexpr int kMost = 512;
    const PatternGeometry geometry = mapGeometry();
    if (m_data.pool <= 1 || !geometry.valid())
        return;
    int first = std::max(0, static_cast<int>(std::floor(geometry.top())));
    int end = std::min(m_data.rows(),
                       static_cast<int>(std::ceil(geometry.top() + geometry.plot().height() / geometry.cellHeight())));
    if (end - first > kMost) {
        if (m_crossRow < 0)
            return; // too much to read exactly: the pooled map is what can be seen
        first = m_crossRow;
        end = first + 1;
    }
    if ((m_exact.holds(first) && m_exact.holds(end - 1))
        || (m_wantedCount > 0 && first >= m_wantedFirst && end <= m_wantedFirst + m_wantedCount))
        return;
    const int margin = end - first > 1 ? (kMost - (end - first)) / 2 : 0;
    m_wantedFirst = std::max(0, first - margin);
    m_wantedCount = std::min(m_data.rows(), end + margin) - m_wantedFirst;
    Q_EMIT rowsWanted(m_wantedFirst, m_wantedCount);
}

double PatternView::valueAt(int row, int col) const
{
    if (m_exact.holds(row))
        return static_cast<double>(m_exact.values->at(row - m_exact.first, col));
    return static_cast<double>(m_data.values->at(row / m_data.pool, col / m_data.pool));
}

void PatternView::clearPattern(const QString& hint)
{
    m_data = {};
    m_hint = hint;
    m_stale = false;
    m_crossRow = m_crossCol = m_lockedRow = -1;
    m_viewport = {};
    rebuild();
    Q_EMIT columnsMoved();
    Q_EMIT readoutChanged();
}

void PatternView::setSide(Side side)
{
    m_side = side;
    update();
}

void PatternView::setScale(const ScaleOptions& options)
{
    if (m_options == options)
        return;
    m_options = options;
    rebuild();
    Q_EMIT columnsMoved();
}

void PatternView::rebuild()
{
    m_frame = {};
    if (m_data.empty()) {
        m_pyramid = {};
    } else {
        m_scale = PatternScale::fit(*m_data.values, m_data.isSigned, m_data.causal, m_options);
        m_pyramid = PatternPyramid::build(*m_data.values, m_scale, m_data.causal, m_data.pool);
        if (m_exact.values)
            m_pyramid.setExactRows(m_exact.first, *m_exact.values, m_scale, m_data.causal);
    }
    update();
}

void PatternView::measureTokens()
{
    const QFontMetricsF metrics(font());
    const double least = metrics.horizontalAdvance(u'x') * kLeastLabel,
                 most = metrics.horizontalAdvance(u'x') * kMostLabel;
    m_labelMost = metrics.horizontalAdvance(u'x') * 2;
    for (const QString& token : m_data.rowNames()) {
        m_labelMost = std::max(m_labelMost, metrics.horizontalAdvance(tokenLabel(token)));
        if (m_labelMost >= most)
            break;
    }
    m_labelMost = std::min(m_labelMost, most);
    m_labelWidth = least; // whatever the tokens: another prompt moves no map
}

void PatternView::setViewport(const Viewport& viewport)
{
    const PatternGeometry geometry = mapGeometry();
    m_viewport = geometry.valid() ? PatternGeometry::clamped(viewport, geometry.maxZoom()) : viewport;
    update();
    wantRows();
    Q_EMIT columnsMoved();
}

void PatternView::applyViewport(const Viewport& viewport)
{
    if (viewport == m_viewport)
        return;
    m_viewport = viewport;
    update();
    wantRows();
    Q_EMIT columnsMoved();
    Q_EMIT viewportChanged(m_viewport);
}

void PatternView::resetViewport()
{
    applyViewport({});
}

void PatternView::setCrosshair(int row, int col)
{
    m_crossRow = row < m_data.rows() ? row : -1;
    m_crossCol = col < m_data.cols() ? col : -1;
    update();
    wantRows();
    Q_EMIT readoutChanged();
}

void PatternView::moveCrosshair(int row, int col)
{
    if (row == m_crossRow && col == m_crossCol)
        return;
    setCrosshair(row, col);
    updateDescription();
    if (row >= 0 && col >= 0)
        Q_EMIT cellHovered(row, col, valueAt(row, col));
    else
        Q_EMIT hoverEnded();
}

void PatternView::setLockedRow(int row)
{
    m_lockedRow = row < m_data.rows() ? row : -1;
    updateDescription();
    update();
    Q_EMIT columnsMoved();
}

void PatternView::lockRow(int row)
{
    setLockedRow(row == m_lockedRow ? -1 : row);
    Q_EMIT rowLocked(m_lockedRow);
}

int PatternView::profileRow() const
{
    return m_lockedRow >= 0 ? m_lockedRow : m_data.rows() - 1;
}

void PatternView::setTag(const QStringList& forms)
{
    if (forms == m_tag)
        return;
    m_tag = forms;
    updateDescription();
    update();
}

void PatternView::setTagShown(bool shown)
{
    m_tagShown = shown;
    updateDescription();
    update();
}

void PatternView::setStale(bool stale)
{
    m_stale = stale;
    update();
}

PatternGeometry PatternView::mapGeometry() const
{
    return {layoutNow().map, m_data.rows(), m_data.cols(), m_viewport};
}

QString PatternView::readout() const
{
    if (m_data.empty() || m_crossRow < 0 || m_crossCol < 0)
        return {};
    const auto quoted = [](const QStringList& texts, int index) {
        return u"“%1” (%2)"_s.arg(index < texts.size() ? tokenQuoted(texts.at(index)) : QString()).arg(index);
    };
    bool unused = m_data.causal && m_crossCol > m_crossRow;
    QString value = unused ? tr("masked (future)") : compactText(valueAt(m_crossRow, m_crossCol));
    if (!unused && m_data.pool > 1 && std::isnan(valueAt(m_crossRow, m_crossCol))) {
        value = tr("not read yet");
        unused = true;
    }
    if (!unused && m_data.raw)
        value = tr("%1 of the row (M = %2)")
                    .arg(value, compactText(static_cast<double>(m_data.raw->at(m_crossRow, m_crossCol))));
    if (!unused && m_data.pool > 1 && !m_exact.holds(m_crossRow))
        value = tr("at most %1 (strongest of %2 × %2 cells)").arg(value).arg(m_data.pool);
    const QString row =
        m_data.rowLabels.isEmpty() ? quoted(m_data.tokens, m_crossRow) : m_data.rowLabels.value(m_crossRow);
    return u"%1 → %2   %3"_s.arg(row, quoted(m_data.tokens, m_crossCol), value);
}

void PatternView::updateDescription()
{
    QStringList told{wholeTag(), readout()};
    told.removeAll(QString());
    if (m_lockedRow >= 0)
        told += tr("Row %1 is locked")
                    .arg(m_data.rowLabels.isEmpty() ? tokenQuoted(m_data.tokens.value(m_lockedRow))
                                                    : m_data.rowLabels.value(m_lockedRow));
    setAccessibleDescription(told.join(u". "_s));
}

QImage PatternView::thumbnail(int side) const
{
    return m_pyramid.thumbnail(side, colorTable(m_scale.colorMap(), themeOf(palette()).unused.rgb()));
}

int PatternView::strongestIn(int row) const
{
    if (m_data.empty() || row < 0 || row >= m_data.rows() || (m_data.pool > 1 && !m_exact.holds(row)))
        return -1;
    int strongest = -1;
    const int end = m_data.causal ? std::min(m_data.cols(), row + 1) : m_data.cols();
    for (int col = 0; col < end; ++col)
        if (strongest < 0 || std::abs(valueAt(row, col)) > std::abs(valueAt(row, strongest)))
            strongest = col;
    return strongest;
}

QSize PatternView::sizeHint() const
{
    return {420, 460};
}

QSize PatternView::minimumSizeHint() const
{
    return {120, 120};
}

// What the numbers are, in full: the heading has one line. Never over the map.
bool PatternView::event(QEvent* event)
{
    keepEscape(event, m_lockedRow >= 0);
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const bool heading = !m_data.empty() && help->pos().y() < layoutNow().title.bottom();
    if (heading)
        QToolTip::showText(help->globalPos(),
                           plainText(QStringList{m_data.head, m_data.meaning, wholeTag()}.join(u'\n').trimmed()), this);
    else
        QToolTip::hideText();
    return true;
}

void PatternView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    Q_EMIT columnsMoved();
}

void PatternView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_down = true;
    m_dragging = false;
    m_pressed = m_lastDrag = event->position();
    m_marking = event->modifiers().testFlag(Qt::ShiftModifier) && m_data.rowLabels.isEmpty()
                && mapGeometry().plot().contains(m_pressed);
}

void PatternView::mouseMoveEvent(QMouseEvent* event)
{
    const PatternGeometry geometry = mapGeometry();
    if (!geometry.valid())
        return;
    if (m_down && !m_dragging
        && (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        m_dragging = true;
        setCursor(m_marking ? Qt::CrossCursor : Qt::ClosedHandCursor);
    }
    if (m_dragging && m_marking) {
        m_lastDrag = event->position();
        update();
        return;
    }
    if (m_dragging) {
        applyViewport(geometry.panned(event->position() - m_lastDrag));
        m_lastDrag = event->position();
        return;
    }
    const int row = geometry.rowAt(event->position().y());
    const int col = geometry.colAt(event->position().x());
    if (row >= 0 && col >= 0)
        moveCrosshair(row, col);
    else
        moveCrosshair(-1, -1);
}

void PatternView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_down)
        return;
    m_down = false;
    unsetCursor();
    if (m_dragging) {
        m_dragging = false;
        if (std::exchange(m_marking, false))
            endMarking();
        return;
    }
    m_marking = false;
    const PatternGeometry geometry = mapGeometry();
    const int row = geometry.rowAt(event->position().y());
    // Row labels left of the map lock as well.
    if (row >= 0 && event->position().x() < geometry.plot().right())
        lockRow(row);
}

void PatternView::endMarking()
{
    update();
    const PatternGeometry geometry = mapGeometry();
    if (!geometry.valid())
        return;
    const QRectF plot = geometry.plot().adjusted(0, 0, -1, -1); // what was drawn beyond the map ends at its edge
    const QRectF drawn = QRectF(m_pressed, m_lastDrag).normalized();
    const auto row = [&](double y) { return geometry.rowAt(std::clamp(y, plot.top(), plot.bottom())); };
    const auto col = [&](double x) { return geometry.colAt(std::clamp(x, plot.left(), plot.right())); };
    Q_EMIT regionMarked(row(drawn.top()), row(drawn.bottom()), col(drawn.left()), col(drawn.right()));
}

// Of the cell under the mouse; by the keyboard, of the crosshair's.
void PatternView::contextMenuEvent(QContextMenuEvent* event)
{
    const PatternGeometry geometry = mapGeometry();
    const bool mouse = event->reason() == QContextMenuEvent::Mouse;
    const int row = mouse ? geometry.rowAt(event->pos().y()) : m_crossRow,
              col = mouse ? geometry.colAt(event->pos().x()) : m_crossCol;
    if (!geometry.valid() || !m_data.rowLabels.isEmpty() || row < 0 || col < 0)
        return QWidget::contextMenuEvent(event);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Why does it look here?"), this, [this, row, col] { Q_EMIT whyRequested(row, col); });
    menu->popup(event->globalPos());
}

void PatternView::leaveEvent(QEvent* event)
{
    moveCrosshair(-1, -1);
    QWidget::leaveEvent(event);
}

void PatternView::wheelEvent(QWheelEvent* event)
{
    const PatternGeometry geometry = mapGeometry();
    const int turned = event->angleDelta().y();
    if (!geometry.valid() || turned == 0) {
        event->ignore();
        return;
    }
    applyViewport(geometry.zoomedAt(event->position(), std::pow(1.0016, turned)));
    event->accept();
}

void PatternView::keyPressEvent(QKeyEvent* event)
{
    const PatternGeometry geometry = mapGeometry();
    if (!geometry.valid()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int step = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    const bool fresh = m_crossRow < 0 || m_crossCol < 0;
    int row = fresh ? profileRow() : m_crossRow;
    int col = fresh ? 0 : m_crossCol;
    const QPointF middle = fresh ? geometry.plot().center() : geometry.cellRect(row, col).center();
    switch (event->key()) {
    case Qt::Key_Left: col -= fresh ? 0 : step; break;
    case Qt::Key_Right: col += fresh ? 0 : step; break;
    case Qt::Key_Up: row -= fresh ? 0 : step; break;
    case Qt::Key_Down: row += fresh ? 0 : step; break;
    case Qt::Key_Home: col = 0; break;
    case Qt::Key_End: col = std::min(row, m_data.cols() - 1); break;
    case Qt::Key_PageUp: row = 0; break;
    case Qt::Key_PageDown: row = m_data.rows() - 1; break;
    case Qt::Key_R: resetViewport(); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: applyViewport(geometry.zoomedAt(middle, 1.25)); return;
    case Qt::Key_Minus: applyViewport(geometry.zoomedAt(middle, 0.8)); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: lockRow(row); return;
    case Qt::Key_Escape:
        if (m_lockedRow >= 0)
            lockRow(m_lockedRow);
        moveCrosshair(-1, -1);
        return;
    default: QWidget::keyPressEvent(event); return;
    }
    row = std::clamp(row, 0, m_data.rows() - 1);
    col = std::clamp(col, 0, m_data.cols() - 1);
    moveCrosshair(row, col);
    applyViewport(geometry.revealing(row, col));
}

void PatternView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange)
        measureTokens();
    m_frame = {};
    update();
    QWidget::changeEvent(event);
    Q_EMIT columnsMoved();
}

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
    const Theme theme = themeOf(palette());
    const Layout layout = layoutNow();
    if (m_data.empty()) {
        painter.setPen(theme.muted);
        painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
    } else {
        heading().paint(painter, layout.title, theme);
        if (const PatternGeometry geometry(layout.map, m_data.rows(), m_data.cols(), m_viewport); geometry.valid())
            paintPattern(painter, geometry, layout.labels);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

PatternHeading PatternView::heading() const
{
    return {m_data.head, m_data.meaning, m_tagShown ? m_tag : QStringList(), m_side};
}

QString PatternView::tag() const
{
    return m_data.empty() ? QString() : heading().tagIn(layoutNow().title.width(), font());
}

/// `labels`: width of the names left of it.
void PatternView::paintPattern(QPainter& painter, const PatternGeometry& geometry, double labels)
{
    const Theme theme = themeOf(palette());
    paintMap(painter, geometry);
    paintSegments(painter, m_data, geometry);
    paintRowNames(painter, m_data, geometry,
                  {.shown = m_crossRow >= 0 ? m_crossRow : profileRow(),
                   .profile = profileRow(),
                   .strongest = strongestIn(profileRow()),
                   .room = labels,
                   .height = static_cast<double>(height()),
                   .theme = theme});
    const bool boxed = m_lockedRow >= 0 || m_data.rowLabels.isEmpty();
    paintPointed(painter, geometry,
                 {.boxedRow = boxed ? profileRow() : -1,
                  .row = m_crossRow,
                  .col = m_crossCol,
                  .region = m_marking && m_dragging ? QRectF(m_pressed, m_lastDrag).normalized() : QRectF(),
                  .side = m_side,
                  .theme = theme});
    paintNotice(painter, m_data.notice, geometry.plot(), theme);
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

} // namespace headscope::widgets
