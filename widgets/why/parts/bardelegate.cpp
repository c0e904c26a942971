// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/bardelegate.h"

#include "widgets/look/theme.h"
#include "widgets/why/parts/partmodel.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme theme = themeOf(option.palette);
    const double value = index.data(PartModel::ValueRole).toDouble();
    const double scale = std::max(index.data(PartModel::ScaleRole).toDouble(), 1e-9);
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, theme.raised);
    // The number has its own place at the right, so that no bar lies under it.
    const int number = option.fontMetrics.horizontalAdvance(QStringLiteral("−000.00")) + 8;
    const QRectF room = QRectF(option.rect).adjusted(4, 3, -number, -3);
    const double middle = room.center().x(), length = std::abs(value) / scale * room.width() / 2;
    painter->fillRect(QRectF(value < 0 ? middle - length : middle, room.top(), length, room.height()),
                      index.data(PartModel::SumRole).toBool() ? theme.muted
                      : value < 0                             ? theme.bad
                                                              : theme.good);
    const double low = index.data(PartModel::LowRole).toDouble(), high = index.data(PartModel::HighRole).toDouble();
    if (low <= high) {
        const auto place = [&](double x) { return middle + std::clamp(x / scale, -1.0, 1.0) * room.width() / 2; };
        painter->setPen(QPen(theme.text, 1.4));
        painter->drawLine(QPointF(place(low), room.center().y()), QPointF(place(high), room.center().y()));
    }
    painter->setPen(theme.faint);
    painter->drawLine(QPointF(middle, option.rect.top()), QPointF(middle, option.rect.bottom()));
    QFont font = option.font;
    font.setBold(index.data(PartModel::SumRole).toBool());
    painter->setFont(font);
    painter->setPen(theme.text);
    painter->drawText(option.rect.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter,
                      index.data(Qt::DisplayRole).toString());
    painter->restore();
}

} // namespace headscope::widgets
