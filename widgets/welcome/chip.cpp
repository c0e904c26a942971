// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/chip.h"

#include "widgets/look/theme.h"

#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kChipSide = 14; // px beside the words
constexpr int kChipOver = 6;  // over and below them
constexpr int kMostWide = 320;

QColor tintInk(const Theme& theme, ChipTint tint)
{
    switch (tint) {
    case ChipTint::Transformer: return theme.sideA;
    case ChipTint::Ssm: return theme.sideB;
    case ChipTint::Hybrid: return theme.hybrid;
    case ChipTint::None: break;
    }
    return theme.text;
}

} // namespace

Chip::Chip(const QString& name, ChipTint tint, QWidget* parent) : QAbstractButton(parent), m_tint(tint)
{
    setText(name);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize Chip::sizeHint() const
{
    return {std::min(kMostWide, fontMetrics().horizontalAdvance(text()) + 2 * kChipSide + 2),
            fontMetrics().height() + 2 * kChipOver};
}

QSize Chip::minimumSizeHint() const
{
    return {std::min(120, sizeHint().width()), sizeHint().height()};
}

void Chip::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    const QColor ink = isEnabled() ? tintInk(theme, m_tint) : theme.muted;
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QColor ground = m_tint == ChipTint::None ? theme.base : tagGround(theme, ink);
    if (isEnabled() && (underMouse() || isDown()))
        ground = mixed(ground, ink, isDown() ? 0.2 : 0.1);
    painter.setBrush(ground);
    painter.setPen(hasFocus()                 ? QPen(palette().color(QPalette::Highlight), 2)
                   : m_tint == ChipTint::None ? QPen(theme.line)
                                              : QPen(Qt::NoPen));
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), box.height() / 2, box.height() / 2);
    painter.setPen(ink);
    painter.drawText(rect(), Qt::AlignCenter,
                     fontMetrics().elidedText(text(), Qt::ElideMiddle, width() - 2 * kChipSide + 2));
}

} // namespace headscope::widgets
