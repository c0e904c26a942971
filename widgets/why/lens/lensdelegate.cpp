// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/lens/lensdelegate.h"

#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"
#include "widgets/why/lens/lensmodel.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kNarrowest = 5, kWidest = 11, kPadding = 4; // letters, pixels

} // namespace

void LensDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const double strength = index.data(LensModel::StrengthRole).toDouble();
    const ColorMap map = index.data(LensModel::SignedRole).toBool() ? ColorMap::BlueRed : ColorMap::Viridis;
    const QColor fill = std::isnan(strength) ? themeOf(option.palette).unused : QColor::fromRgb(colorAt(map, strength));
    const QColor ink = QColor::fromRgb(inkOn(fill.rgb()));
    const QRect cell = option.rect;
    painter->save();
    painter->fillRect(cell, fill);
    painter->setFont(option.font);
    painter->setPen(ink);
    const int letters = cell.width() - kPadding;
    if (letters > kNarrowest * option.fontMetrics.averageCharWidth() / 2
        && cell.height() >= option.fontMetrics.height())
        painter->drawText(
            cell, Qt::AlignCenter,
            option.fontMetrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight, letters));
    if (index.data(LensModel::OnTopRole).toBool()) {
        painter->setPen(QPen(ink, 1));
        painter->drawRect(cell.adjusted(1, 1, -2, -2));
    }
    if (option.state & QStyle::State_Selected) {
        painter->setPen(QPen(themeOf(option.palette).crosshair, 2));
        painter->drawRect(cell.adjusted(1, 1, -1, -1));
    }
    painter->restore();
}

QSize LensDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int letters =
        std::clamp(static_cast<int>(index.data(Qt::DisplayRole).toString().size()), kNarrowest, kWidest);
    return {letters * option.fontMetrics.averageCharWidth() + 2 * kPadding, option.fontMetrics.height() + 2 * kPadding};
}

} // namespace headscope::widgets
