// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints a cell of the expert table: the side's colour as strong as the weight, empty if the token is not routed there.
// A frame marks a route added by an ablation, a dashed one a route removed by it. GUI thread.

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
