// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/experts/expertdelegate.h"

#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"
#include "widgets/why/experts/expertmodel.h"

#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr double kWeakest = 0.2; // of the colour: what is chosen is never taken for empty
constexpr double kAblatedFill = 0.35, kSharedFill = 0.3;
constexpr int kRoomBesideText = 4; // pixels

} // namespace

void ExpertDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme theme = themeOf(option.palette);
    const bool runs = index.data(ExpertModel::WeightRole).isValid(), off = index.data(ExpertModel::OffRole).toBool(),
               shared = index.data(ExpertModel::SharedRole).toBool();
    const auto change = static_cast<ExpertModel::Change>(index.data(ExpertModel::ChangeRole).toInt());
    const QRect cell = option.rect.adjusted(0, 0, -1, -1); // a hairline between cells
    painter->save();
    painter->fillRect(option.rect, theme.base);
    if (runs) {
        const double strength = kWeakest + (1 - kWeakest) * index.data(ExpertModel::StrengthRole).toDouble();
        const QColor ink = shared ? theme.muted : sideColor(theme, m_side);
        const QColor fill = mixed(theme.base, ink, shared ? kSharedFill : off ? strength * kAblatedFill : strength);
        painter->fillRect(cell, fill);
        const QString text = index.data(Qt::DisplayRole).toString();
        if (option.fontMetrics.horizontalAdvance(text) + kRoomBesideText <= cell.width()
            && cell.height() >= option.fontMetrics.ascent()) {
            painter->setFont(option.font);
            painter->setPen(QColor::fromRgb(inkOn(fill.rgb())));
            painter->drawText(cell, Qt::AlignCenter, text);
        }
        if (off) {
            painter->setPen(QPen(theme.cross, 1));
            painter->drawLine(cell.bottomLeft(), cell.topRight());
        }
    } else if (cell.width() > 2) {
        painter->setPen(theme.faint);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    }
    if (change != ExpertModel::Change::None) {
        const bool came = change == ExpertModel::Change::Came;
        painter->setPen(QPen(came ? theme.text : theme.muted, came ? 2 : 1, came ? Qt::SolidLine : Qt::DashLine));
        painter->drawRect(cell.adjusted(1, 1, -1, -1));
    }
    if (option.state & QStyle::State_Selected) {
        painter->setPen(QPen(theme.crosshair, 2));
        painter->drawRect(cell.adjusted(1, 1, 0, 0));
    }
    painter->restore();
}

} // namespace headscope::widgets
