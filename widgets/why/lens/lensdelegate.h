// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints a cell of the lens: its colour, the token in readable ink, a frame if the followed token is on top. GUI
// thread.

#include <QStyledItemDelegate>

namespace headscope::widgets {

class LensDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace headscope::widgets
