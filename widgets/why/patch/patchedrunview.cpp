// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/patchedrunview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/pattern/patternview.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QRadioButton>

namespace headscope::widgets {

namespace {

enum Which { With, Without };

} // namespace

PatchedRunView::PatchedRunView(QWidget* parent)
    : QWidget(parent), m_sentence(new PlainLabel), m_output(new PlainLabel), m_which(new QButtonGroup(this)),
      m_map(new PatternView)
{
    for (QLabel* one : {m_sentence, m_output})
        one->setWordWrap(true);
    m_output->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* line = new QHBoxLayout;
    for (const auto& [which, title] : {std::pair(With, tr("with the patch")), std::pair(Without, tr("without"))}) {
        auto* button = new QRadioButton(title);
        m_which->addButton(button, which);
        line->addWidget(button);
    }
    m_which->button(With)->setChecked(true);
    line->addStretch();
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_sentence);
    lines->addWidget(m_output);
    lines->addLayout(line);
    lines->addWidget(m_map, 1);
    lines->addStretch(); // without a map the sentence is at the top
    connect(m_which, &QButtonGroup::idClicked, this, &PatchedRunView::showMap);
    setLook({});
}

void PatchedRunView::setLook(PatchedRunData look)
{
    m_look = std::move(look);
    m_sentence->setText(m_look.sentence.isEmpty()
                            ? tr("Choose a cell of the map, or drag over several to patch them together.")
                            : m_look.sentence);
    m_output->setText(m_look.output);
    m_output->setVisible(!m_look.output.isEmpty());
    for (QAbstractButton* button : m_which->buttons())
        button->setVisible(!m_look.after.empty());
    showMap();
}

bool PatchedRunView::hasMap() const
{
    return !m_map->isHidden();
}

void PatchedRunView::showMap()
{
    const PatternData& shown = m_which->checkedId() == Without ? m_look.before : m_look.after;
    if (const bool any = !shown.empty() || !m_look.noMap.isEmpty(); any == m_map->isHidden()) {
        m_map->setVisible(any);
        Q_EMIT mapToggled();
    }
    if (shown.empty())
        m_map->clearPattern(m_look.noMap);
    else
        m_map->setPattern(shown);
}

} // namespace headscope::widgets
