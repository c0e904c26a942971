// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headmapoverview.h"

#include "widgets/heads/headmapmodel.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kMany = 256;                // cells; of fewer one knows where one is
constexpr QSize kLargestOverview{88, 66}; // pixels

} // namespace

HeadMapOverview::HeadMapOverview(QTableView* view) : QWidget(view), m_view(view)
{
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("Overview of the head map"));
    setFocusPolicy(Qt::NoFocus);
    hide();
    for (const QScrollBar* bar : {view->horizontalScrollBar(), view->verticalScrollBar()}) {
        connect(bar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
        connect(bar, &QScrollBar::rangeChanged, this, &HeadMapOverview::follow);
    }
}

void HeadMapOverview::follow()
{
    const QAbstractItemModel* model = m_view->model();
    const int rows = model ? model->rowCount() : 0, columns = model ? model->columnCount() : 0;
    const bool whole = m_view->horizontalScrollBar()->maximum() == 0 && m_view->verticalScrollBar()->maximum() == 0;
    if (rows * columns < kMany || whole)
        return hide();
    const QSize size = QSize(m_view->horizontalHeader()->length(), m_view->verticalHeader()->length())
                           .scaled(kLargestOverview, Qt::KeepAspectRatio);
    resize(std::max(size.width(), 8) + 2, std::max(size.height(), 8) + 2);
    const QRect room = m_view->viewport()->geometry();
    move(room.right() - width() - 2, room.bottom() - height() - 2);
    show();
    raise();
    update();
}

QRectF HeadMapOverview::shownPart() const
{
    const double wide = std::max(1, m_view->horizontalHeader()->length());
    const double high = std::max(1, m_view->verticalHeader()->length());
    const QRectF room = QRectF(rect()).adjusted(1, 1, -1, -1);
    const double x = m_view->horizontalHeader()->offset() / wide, y = m_view->verticalHeader()->offset() / high;
    return {room.x() + x * room.width(), room.y() + y * room.height(),
            std::min(1.0 - x, m_view->viewport()->width() / wide) * room.width(),
            std::min(1.0 - y, m_view->viewport()->height() / high) * room.height()};
}

void HeadMapOverview::paintEvent(QPaintEvent*)
{
    const QAbstractItemModel* model = m_view->model();
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const QRectF room = QRectF(rect()).adjusted(1, 1, -1, -1);
    const int rows = model->rowCount(), columns = model->columnCount();
    QImage cells(std::max(columns, 1), std::max(rows, 1), QImage::Format_ARGB32_Premultiplied);
    cells.fill(Qt::transparent);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const auto color = model->index(row, column).data(HeadMapModel::ColorRole).value<QColor>();
            if (color.isValid())
                cells.setPixelColor(column, row, color);
        }
    painter.drawImage(room, cells);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(shownPart());
}

void HeadMapOverview::goTo(QPointF point)
{
    const auto scroll = [](QScrollBar* bar, double share, int length, int shown) {
        bar->setValue(static_cast<int>(std::lround(share * length - shown / 2.0)));
    };
    scroll(m_view->horizontalScrollBar(), point.x() / width(), m_view->horizontalHeader()->length(),
           m_view->viewport()->width());
    scroll(m_view->verticalScrollBar(), point.y() / height(), m_view->verticalHeader()->length(),
           m_view->viewport()->height());
}

void HeadMapOverview::mousePressEvent(QMouseEvent* event)
{
    goTo(event->position());
}

void HeadMapOverview::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton)
        goTo(event->position());
}

} // namespace headscope::widgets
