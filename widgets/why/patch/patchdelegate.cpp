// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/patchdelegate.h"

#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"
#include "widgets/why/patch/patchmodel.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kCellPadding = 4;    // pixels
constexpr double kAgainst = -0.05; // less is not noise around nothing

} // namespace

void PatchDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant share = index.data(PatchModel::ShareRole);
    const Theme theme = themeOf(option.palette);
    painter->save();
    if (!share.isValid() || !std::isfinite(share.toDouble())) {
        painter->fillRect(option.rect, theme.faint);
    } else {
        const double value = share.toDouble();
        const QColor fill = QColor::fromRgb(colorAt(ColorMap::Viridis, std::clamp(std::abs(value), 0.0, 1.0)));
        const QColor ink = QColor::fromRgb(inkOn(fill.rgb()));
        const bool roomy = option.rect.height() > 2 * option.fontMetrics.height();
        const QRect cell = roomy ? option.rect.adjusted(1, 1, -1, -1) : option.rect;
        painter->setRenderHint(QPainter::Antialiasing, roomy);
        painter->setPen(Qt::NoPen);
        painter->setBrush(fill);
        painter->drawRoundedRect(cell, roomy ? 5 : 0, roomy ? 5 : 0);
        if (value < kAgainst)
            painter->fillRect(cell, QBrush(ink, Qt::BDiagPattern));
        painter->setFont(option.font);
        painter->setPen(ink);
        painter->drawText(option.rect, Qt::AlignCenter, index.data(Qt::DisplayRole).toString());
    }
    if (option.state & QStyle::State_Selected) {
        painter->setPen(QPen(theme.crosshair, 2));
        painter->drawRect(option.rect.adjusted(1, 1, -1, -1));
    }
    painter->restore();
}

QSize PatchDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {option.fontMetrics.horizontalAdvance(QStringLiteral("−0.00")) + 2 * kCellPadding,
            option.fontMetrics.height() + 2 * kCellPadding};
}

} // namespace headscope::widgets
