// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A cell of the experts' table: the side's colour as strong as the weight, and empty where the token does not go there.
// A frame where it goes because of an ablation, a dashed one where it went before. GUI thread.

#include "core/base/side.h"

#include <QStyledItemDelegate>

namespace headscope::widgets {

class ExpertDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ExpertDelegate(Side side, QObject* parent = nullptr) : QStyledItemDelegate(parent), m_side(side) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Side m_side;
};

} // namespace headscope::widgets
