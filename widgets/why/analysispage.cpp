// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/analysispage.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace headscope::widgets {

AnalysisPage::AnalysisPage(QWidget* parent)
    : QWidget(parent), m_lines(new QVBoxLayout(this)), m_line(new QHBoxLayout), m_both(new BesideSplitter)
{
    m_lines->setContentsMargins(0, 4, 0, 0);
    m_lines->addLayout(m_line);
    m_lines->addWidget(m_both, 1);
}

void AnalysisPage::addStart(const QString& title)
{
    m_title = title;
    m_start = new QPushButton(title);
    m_line->addWidget(m_start, 0, Qt::AlignLeft);
    connect(m_start, &QPushButton::clicked, this,
            [this] { m_running ? Q_EMIT stopRequested() : Q_EMIT startRequested(); });
}

void AnalysisPage::setRunning(bool running)
{
    m_running = running;
    m_start->setText(running ? tr("&Stop") : m_title);
}

void AnalysisPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
