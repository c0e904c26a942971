// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints a number as a bar to the left or right of a zero line, with the number beside it. GUI thread.

#include <QStyledItemDelegate>

namespace headscope::widgets {

class BarDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace headscope::widgets
