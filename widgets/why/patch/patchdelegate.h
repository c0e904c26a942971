// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints a cell of a patching map: its share as colour and number; negative shares are hatched. GUI thread.

#include <QStyledItemDelegate>

namespace headscope::widgets {

class PatchDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace headscope::widgets
