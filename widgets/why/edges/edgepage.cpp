// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgepage.h"

#include "widgets/look/boxes/choicebox.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"
#include "widgets/why/fillbox.h"

#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kFirstThreshold = 5; // hundredths
constexpr int kSliderWidth = 80;

} // namespace

EdgePage::EdgePage(QWidget* parent)
    : SidesPage(parent), m_around(new ChoiceBox), m_threshold(new QSlider(Qt::Horizontal)), m_least(new PlainLabel),
      m_box(new PairBox(tr("&Trace"), {m_around, m_threshold, m_least}))
{
    fillBox<Around>(*m_around, tr("Which edges"),
                    {{Around::Both, tr("inputs and outputs")},
                     {Around::Feeding, tr("inputs")},
                     {Around::Listening, tr("outputs")}});
    m_threshold->setRange(0, 100);
    m_threshold->setFixedWidth(kSliderWidth);
    m_threshold->setAccessibleName(tr("Weakest edge shown"));
    lines()->insertWidget(0, m_box);
    connect(m_box, &PairBox::startRequested, this, &EdgePage::startRequested);
    connect(m_box, &PairBox::stopRequested, this, &EdgePage::stopRequested);
    connect(m_box, &PairBox::changed, this, &EdgePage::choiceChanged);
    connect(m_around, &QComboBox::currentIndexChanged, this, &EdgePage::choiceChanged);
    connect(m_threshold, &QSlider::valueChanged, this, &EdgePage::setThreshold);
    m_threshold->setValue(kFirstThreshold);
}

void EdgePage::setThreshold(int hundredths)
{
    m_least->setText(tr("from %1").arg(numberText(hundredths / 100.0)));
    for (const Side side : kSides)
        view(side)->graph()->setThreshold(hundredths / 100.0);
}

EdgePage::Choice EdgePage::choice() const
{
    return {.around = chosenIn<Around>(*m_around), .pair = m_box->choice()};
}

void EdgePage::setChoice(const Choice& choice)
{
    chooseIn(*m_around, choice.around);
    m_box->setChoice(choice.pair);
}

void EdgePage::arrange()
{
    constexpr int kPart = 34, kNames = 40;                                 // pixels
    both()->setNeeded(kNames + kPart * (std::ranges::max(m_columns) + 1)); // and the MLP
}

void EdgePage::setShown(Side side, bool shown, int columns)
{
    view(side)->setVisible(shown);
    m_columns[indexOf(side)] = columns;
    arrange();
}

} // namespace headscope::widgets
