// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/matchpanel.h"

#include "widgets/look/labels/plainlabel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::widgets {

MatchPanel::MatchPanel(QWidget* parent)
    : QWidget(parent), m_by(new QComboBox), m_view(new MatchView), m_sentence(new PlainLabel)
{
    m_by->addItems({tr("similar patterns"), tr("similar ablation costs")});
    m_by->setAccessibleName(tr("Measure of similarity"));
    connect(m_by, &QComboBox::currentIndexChanged, this, &MatchPanel::byChanged);
    auto* save = new QToolButton;
    save->setText(tr("Save…"));
    save->setToolTip(tr("Save as a picture or as numbers"));
    connect(save, &QToolButton::clicked, this, &MatchPanel::saveRequested);
    m_sentence->setWordWrap(true);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    auto* line = new QHBoxLayout;
    line->addWidget(m_by, 1);
    line->addWidget(save);
    lines->addLayout(line);
    lines->addWidget(m_view, 1);
    lines->addWidget(m_sentence);
}

void MatchPanel::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

QString MatchPanel::sentence() const
{
    return m_sentence->text();
}

MatchPanel::By MatchPanel::by() const
{
    return m_by->currentIndex() == 0 ? By::Looks : By::Costs;
}

void MatchPanel::setBy(By by)
{
    m_by->setCurrentIndex(by == By::Looks ? 0 : 1);
}

} // namespace headscope::widgets
