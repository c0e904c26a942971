// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/labels/wrappingbutton.h"

#include <QStyleOptionButton>
#include <QStylePainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kTextFlags = Qt::AlignCenter | Qt::TextWordWrap | Qt::TextShowMnemonic;

} // namespace

WrappingButton::WrappingButton(const QString& text, QWidget* parent) : QPushButton(text, parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

// What the style puts around a text.
QSize WrappingButton::frame() const
{
    return QPushButton::sizeHint() - fontMetrics().size(Qt::TextShowMnemonic, text());
}

int WrappingButton::longestWord() const
{
    int longest = 0;
    for (const QString& word : text().split(u' '))
        longest = std::max(longest, fontMetrics().horizontalAdvance(word));
    return longest;
}

QSize WrappingButton::sizeHint() const
{
    const int more = fontMetrics().horizontalAdvance(m_widest) - fontMetrics().horizontalAdvance(text());
    return QPushButton::sizeHint() + QSize(std::max(0, more), 0);
}

QSize WrappingButton::minimumSizeHint() const
{
    return {longestWord() + frame().width(), QPushButton::sizeHint().height()};
}

int WrappingButton::heightForWidth(int width) const
{
    QStyleOptionButton option;
    initStyleOption(&option);
    option.rect = QRect(0, 0, width, QWIDGETSIZE_MAX);
    const QRect room = style()->subElementRect(QStyle::SE_PushButtonContents, &option, this);
    return std::max(QPushButton::sizeHint().height(),
                    fontMetrics().boundingRect(room, kTextFlags, text()).height() + frame().height());
}

void WrappingButton::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    painter.drawControl(QStyle::CE_PushButton, option);
    painter.drawItemText(style()->subElementRect(QStyle::SE_PushButtonContents, &option, this), kTextFlags,
                         option.palette, isEnabled(), text(), QPalette::ButtonText);
}

} // namespace headscope::widgets
