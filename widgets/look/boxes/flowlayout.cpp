// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/boxes/flowlayout.h"

#include <algorithm>

namespace headscope::widgets {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

void FlowLayout::addItem(QLayoutItem* item)
{
    m_items.append(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return m_items.value(index);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    place(rect, true);
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = QSize(size.width() + item->sizeHint().width() + (size.width() > 0 ? spacing() : 0),
                     std::max(size.height(), item->sizeHint().height()));
    return size;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size;
}

// The height that all lines take.
int FlowLayout::place(const QRect& rect, bool move) const
{
    int x = rect.left(), y = rect.top(), high = 0;
    for (QLayoutItem* item : m_items) {
        QSize size = item->sizeHint();
        if (const int most = std::max(rect.width(), item->minimumSize().width()); size.width() > most)
            size = {most, item->hasHeightForWidth() ? item->heightForWidth(most) : size.height()};
        if (x > rect.left() && x + size.width() > rect.left() + rect.width()) {
            x = rect.left();
            y += high + spacing();
            high = 0;
        }
        if (move)
            item->setGeometry({QPoint(x, y), size});
        x += size.width() + spacing();
        high = std::max(high, size.height());
    }
    return y + high - rect.top();
}

} // namespace headscope::widgets
