// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/choicebox.h"

#include <QStyleOptionComboBox>

namespace headscope::widgets {

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    connect(this, &QComboBox::currentTextChanged, this, &QWidget::updateGeometry);
}

QSize ChoiceBox::sizeHint() const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QFontMetrics metrics = fontMetrics();
    const QSize contents(metrics.horizontalAdvance(currentText()) + 4, metrics.height() + 2);
    return style()->sizeFromContents(QStyle::CT_ComboBox, &option, contents, this);
}

QSize ChoiceBox::minimumSizeHint() const
{
    return sizeHint();
}

} // namespace headscope::widgets
