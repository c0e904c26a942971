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
    QList<QPair<QLayoutItem*, QSize>> line;
    int x = 0, y = rect.top(), high = 0;
    const auto endLine = [&] { // items of different heights share its middle
        int left = rect.left();
        for (const auto& [item, size] : line) {
            if (move)
                item->setGeometry({QPoint(left, y + (high - size.height()) / 2), size});
            left += size.width() + spacing();
        }
        line.clear();
        x = 0;
    };
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty()) // hidden
            continue;
        QSize size = item->sizeHint();
        if (const int most = std::max(rect.width(), item->minimumSize().width()); size.width() > most)
            size = {most, item->hasHeightForWidth() ? item->heightForWidth(most) : size.height()};
        if (x > 0 && x + size.width() > rect.width()) {
            endLine();
            y += high + spacing();
            high = 0;
        }
        line.append({item, size});
        x += size.width() + spacing();
        high = std::max(high, size.height());
    }
    endLine();
    return y + high - rect.top();
}

} // namespace headscope::widgets
