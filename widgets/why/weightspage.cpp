// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/weightspage.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace headscope::widgets {

WeightsPage::WeightsPage(QWidget* parent) : QWidget(parent), m_run(new QPushButton)
{
    auto* line = new QHBoxLayout;
    line->addStretch();
    line->addWidget(m_run);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->addLayout(line);
    lines->addWidget(m_both.widget(), 1);
    setRunning(false);
    connect(m_run, &QPushButton::clicked, this,
            [this] { m_running ? Q_EMIT stopRequested() : Q_EMIT weighRequested(); });
}

void WeightsPage::setRunning(bool running)
{
    m_running = running;
    m_run->setText(running ? tr("&Stop") : tr("&Weights of the shown head"));
}

void WeightsPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
