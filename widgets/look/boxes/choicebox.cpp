// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/boxes/choicebox.h"

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

QSize ChoiceBox::sizeFor(int words) const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    return style()->sizeFromContents(QStyle::CT_ComboBox, &option, {words + 4, fontMetrics().height() + 2}, this);
}

QSize ChoiceBox::sizeHint() const
{
    const int words = fontMetrics().horizontalAdvance(currentText());
    return sizeFor(m_mostLetters > 0 ? std::min(words, m_mostLetters * fontMetrics().horizontalAdvance(u'x')) : words);
}

QSize ChoiceBox::minimumSizeHint() const
{
    return sizeHint();
}

} // namespace headscope::widgets
