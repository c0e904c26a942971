// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/scatterview.h"

#include "widgets/look/picturefile.h"
#include "widgets/look/theme.h"

#include <QFileInfo>
#include <QMouseEvent>
#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr double kNear = 6;

} // namespace

ScatterView::ScatterView(QWidget* parent) : QWidget(parent)
{
    setMinimumSize(160, 60); // large letters leave a low window no more
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::ClickFocus);
    setAccessibleName(tr("Scatter plot of heads"));
    setWhatsThis(tr("One dot per head: circles are A, squares B. Draw a loop around dots to select them in the "
                    "table and in the head maps, or click near one."));
}

void ScatterView::setDots(std::vector<ScatterDot> dots, const QString& xTitle, const QString& yTitle)
{
    m_scatter.dots = std::move(dots);
    m_scatter.xTitle = xTitle;
    m_scatter.yTitle = yTitle;
    update();
}

void ScatterView::setLogarithmic(bool x, bool y)
{
    m_scatter.logX = x;
    m_scatter.logY = y;
    update();
}

void ScatterView::setSelected(const QStringList& heads)
{
    m_scatter.selected = heads;
    update();
}

std::optional<QPointF> ScatterView::placeOf(const QString& head) const
{
    const auto at = m_scatter.places(Scatter::area(size(), QFontMetricsF(font()).height()));
    for (std::size_t i = 0; i < at.size(); ++i)
        if (m_scatter.dots[i].head == head)
            return at[i];
    return std::nullopt;
}

Result<void> ScatterView::save(const QString& path, const QString& title) const
{
    const QPalette palette = lightPalette();
    const Picture picture{size(), title, palette.color(QPalette::Base), [&](QPainter& painter, const QSizeF& size) {
                              // Drawn at the size that it has on the screen, whatever the file's units are.
                              painter.scale(size.width() / width(), size.height() / height());
                              m_scatter.paint(painter, this->size(), palette);
                          }};
    return writeBytes(pictureBytes(picture, QFileInfo(path).suffix().toLower()), path);
}

void ScatterView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    m_scatter.paint(painter, size(), palette());
    if (m_loop.size() < 2)
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1, Qt::DashLine));
    painter.drawPolygon(m_loop);
}

void ScatterView::mousePressEvent(QMouseEvent* event)
{
    m_loop = {event->position()};
}

void ScatterView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_loop.isEmpty())
        return;
    m_loop << event->position();
    update();
}

void ScatterView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_loop.isEmpty())
        return;
    m_loop << event->position();
    // A click takes what is near it.
    const QRectF drawn = m_loop.boundingRect();
    const bool click = drawn.width() < kNear && drawn.height() < kNear;
    const QRectF near(drawn.center() - QPointF(kNear, kNear), QSizeF(2 * kNear, 2 * kNear));
    const auto at = m_scatter.places(Scatter::area(size(), QFontMetricsF(font()).height()));
    QStringList heads;
    for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i] && (click ? near.contains(*at[i]) : m_loop.containsPoint(*at[i], Qt::OddEvenFill)))
            heads << m_scatter.dots[i].head;
    m_loop.clear();
    setSelected(heads);
    Q_EMIT headsSelected(heads);
}

void ScatterView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto at = m_scatter.places(Scatter::area(size(), QFontMetricsF(font()).height()));
    for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i] && (*at[i] - event->position()).manhattanLength() < kNear) {
            const QString head = m_scatter.dots[i].head; // what is shown may go
            Q_EMIT headOpened(head);
            return;
        }
}

} // namespace headscope::widgets
