// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/choicebox.h"

#include <QStyleOptionComboBox>

#include <algorithm>

namespace headscope::widgets {

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    connect(this, &QComboBox::currentTextChanged, this, &QWidget::updateGeometry);
}

void ChoiceBox::setMostLetters(int letters)
{
    m_mostLetters = letters;
    updateGeometry();
}

QSize ChoiceBox::sizeHint() const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QFontMetrics metrics = fontMetrics();
    int words = metrics.horizontalAdvance(currentText());
    if (m_mostLetters > 0)
        words = std::min(words, m_mostLetters * metrics.averageCharWidth());
    const QSize contents(words + 4, metrics.height() + 2);
    return style()->sizeFromContents(QStyle::CT_ComboBox, &option, contents, this);
}

QSize ChoiceBox::minimumSizeHint() const
{
    return sizeHint();
}

} // namespace headscope::widgets
