// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/analysisview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/labels/fewlineslabel.h"
#include "widgets/look/theme.h"

namespace headscope::widgets {

AnalysisView::AnalysisView(QWidget* parent, int lines)
    : QWidget(parent), m_lines(new QVBoxLayout(this)), m_top(new QHBoxLayout), m_title(new ElidedLabel),
      m_sentence(new FewLinesLabel(lines))
{
    m_lines->setContentsMargins(0, 0, 0, 0);
    m_top->addWidget(m_title, 1);
    m_lines->addLayout(m_top);
    m_lines->addWidget(m_sentence);
    setMuted(m_sentence);
}

void AnalysisView::setTitle(const QString& title)
{
    m_title->setText(title);
}

QString AnalysisView::title() const
{
    return m_title->text();
}

void AnalysisView::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

QString AnalysisView::sentence() const
{
    return m_sentence->text();
}

QWidget* captioned(QWidget* caption, QWidget* view)
{
    auto* whole = new QWidget;
    auto* lines = new QVBoxLayout(whole);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(caption);
    lines->addWidget(view, 1);
    return whole;
}

} // namespace headscope::widgets
