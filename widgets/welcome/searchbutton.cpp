// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/searchbutton.h"

#include "widgets/look/theme.h"

#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr int kFieldWide = 400;
constexpr int kFieldEdge = 14; // px beside the words
constexpr double kFieldCorner = 7;

} // namespace

SearchButton::SearchButton(const QString& hint, const QString& key, QWidget* parent)
    : QAbstractButton(parent), m_key(key)
{
    setText(hint);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::IBeamCursor);
}

QSize SearchButton::sizeHint() const
{
    return {kFieldWide, fontMetrics().height() + 16};
}

QSize SearchButton::minimumSizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_key) + 6 * kFieldEdge, sizeHint().height()};
}

void SearchButton::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    painter.setPen(hasFocus() ? QPen(palette().color(QPalette::Highlight), 2) : QPen(theme.line));
    painter.setBrush(underMouse() ? theme.base : palette().color(QPalette::Window));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kFieldCorner, kFieldCorner);
    const int key = fontMetrics().horizontalAdvance(m_key) + kFieldEdge;
    const QRectF tag(width() - key - 6.0, 5, key, height() - 10.0);
    painter.setPen(theme.line);
    painter.setBrush(theme.base);
    painter.drawRoundedRect(tag, tag.height() / 2, tag.height() / 2);
    painter.setPen(theme.muted);
    painter.drawText(tag, Qt::AlignCenter, m_key);
    const int room = width() - key - 2 * kFieldEdge;
    painter.drawText(QRectF(kFieldEdge, 0, room, height()), Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, room));
}

} // namespace headscope::widgets
