// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/labels/switchbutton.h"

#include "widgets/look/theme.h"

#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr int kSwitchGap = 8; // between the words and the track

} // namespace

void SwitchButton::setAccent(const QColor& color)
{
    m_accent = color;
    update();
}

QSize SwitchButton::track() const
{
    const int high = fontMetrics().height() + 4;
    return {2 * high, high};
}

QSize SwitchButton::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + kSwitchGap + track().width() + 2, track().height() + 2};
}

void SwitchButton::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    const QRectF box(QPointF(width() - track().width() - 1.0, (height() - track().height()) / 2.0), track());
    painter.setPen(isEnabled() ? theme.text : theme.muted);
    painter.drawText(QRectF(0, 0, box.left() - kSwitchGap, height()), Qt::AlignRight | Qt::AlignVCenter, text());
    painter.setPen(hasFocus() ? QPen(theme.text, 2) : QPen(Qt::NoPen));
    painter.setBrush(isChecked() ? m_accent : theme.faint);
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    const double thumb = box.height() - 6;
    painter.setPen(Qt::NoPen);
    painter.setBrush(Qt::white);
    painter.drawEllipse(QRectF(isChecked() ? box.right() - thumb - 3 : box.left() + 3, box.top() + 3, thumb, thumb));
}

} // namespace headscope::widgets
