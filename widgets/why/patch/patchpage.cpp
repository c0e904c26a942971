// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/patchpage.h"

#include "widgets/look/boxes/choicebox.h"
#include "widgets/why/fillbox.h"

#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

PatchPage::PatchPage(QWidget* parent)
    : SidesPage(parent), m_part(new ChoiceBox), m_box(new PairBox(tr("&Patch"), {m_part}))
{
    fillBox<Part>(*m_part, tr("Activations to patch"),
                  {{Part::Heads, tr("heads, all tokens")},
                   {Part::HeadsByToken, tr("heads, each token")},
                   {Part::Stream, tr("stream, each token")},
                   {Part::Mixer, tr("attention or SSM, each token")},
                   {Part::Mlp, tr("MLP, each token")},
                   {Part::State, tr("SSM state after each token")}});
    lines()->insertWidget(0, m_box);
    connect(m_box, &PairBox::startRequested, this, &PatchPage::startRequested);
    connect(m_box, &PairBox::stopRequested, this, &PatchPage::stopRequested);
    connect(m_box, &PairBox::changed, this, &PatchPage::choiceChanged);
    connect(m_part, &QComboBox::currentIndexChanged, this, &PatchPage::arrange);
    connect(m_part, &QComboBox::currentIndexChanged, this, &PatchPage::choiceChanged);
}

PatchPage::Choice PatchPage::choice() const
{
    return {.part = chosenIn<Part>(*m_part), .pair = m_box->choice()};
}

void PatchPage::setChoice(const Choice& choice)
{
    chooseIn(*m_part, choice.part);
    m_box->setChoice(choice.pair);
}

void PatchPage::arrange()
{
    constexpr int kCell = 38, kNames = 40, kTokens = 1000; // pixels; columns of a map of tokens
    const int columns = choice().part == Part::Heads ? std::ranges::max(m_columns) : kTokens;
    both()->setNeeded(kNames + kCell * columns);
}

void PatchPage::setShown(Side side, bool shown, int columns)
{
    view(side)->setVisible(shown);
    m_columns[indexOf(side)] = columns;
    arrange();
}

} // namespace headscope::widgets
