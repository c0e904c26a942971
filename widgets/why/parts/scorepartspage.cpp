// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/scorepartspage.h"

#include <QVBoxLayout>

namespace headscope::widgets {

ScorePartsPage::ScorePartsPage(QWidget* parent) : QWidget(parent)
{
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->addWidget(m_both.widget(), 1);
}

void ScorePartsPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
