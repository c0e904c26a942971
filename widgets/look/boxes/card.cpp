// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/boxes/card.h"

#include "widgets/look/theme.h"

#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr double kCorner = 10;

} // namespace

void paintCard(QPainter& painter, const QRectF& box, const QPalette& palette)
{
    const Theme theme = themeOf(palette);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.line);
    painter.setBrush(theme.base);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), kCorner, kCorner);
}

void Card::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintCard(painter, rect(), palette());
}

} // namespace headscope::widgets
