// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/patchview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/theme.h"
#include "widgets/why/views/tabledview.h"

#include <QEvent>
#include <QHBoxLayout>

namespace headscope::widgets {

namespace {

constexpr double kHeadlineSize = 1.15;
constexpr int kRest = 200;                     // ms that a choice of cells rests before it is asked about
constexpr int kMapWide = 620, kLookWide = 300; // pixels

} // namespace

PatchView::PatchView(QWidget* parent)
    : AnalysisView(parent), m_grid(new GridView(tr("Patching: layers and heads or tokens"))),
      m_look(new PatchedRunView), m_parts(new QSplitter(Qt::Horizontal)), m_cost(new ElidedLabel),
      m_headline(new ElidedLabel), m_difference(new PromptDifference)
{
    m_grid->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_grid->setWhatsThis(tr("Each cell is one run with this part replaced by that of the other run. 0: no effect; 1: "
                            "the answer of the other run; hatched: negative. Drag over cells to patch them together."));
    m_parts->addWidget(new TabledView(m_grid, QStringLiteral("patching")));
    m_parts->addWidget(m_look);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({kMapWide, kLookWide});
    m_parts->setStretchFactor(0, 1);
    top()->addWidget(m_cost);
    setMuted(m_cost);
    lines()->insertWidget(1, m_headline);
    lines()->addWidget(m_difference);
    lines()->addWidget(m_parts, 1);
    fitLetters();
    m_chosen.setSingleShot(true);
    m_chosen.setInterval(kRest);
    connect(&m_chosen, &QTimer::timeout, this, &PatchView::cellsChosen);
    connect(m_grid->selectionModel(), &QItemSelectionModel::selectionChanged, &m_chosen, qOverload<>(&QTimer::start));
    connect(m_look, &PatchedRunView::mapToggled, this, &PatchView::arrange);
}

void PatchView::setUpright(bool upright)
{
    m_parts->setOrientation(upright ? Qt::Vertical : Qt::Horizontal);
    arrange();
}

// Below the map, the result of the chosen cells gets space once there is one.
void PatchView::arrange()
{
    if (m_parts->orientation() == Qt::Horizontal)
        m_parts->setSizes({kMapWide, kLookWide});
    else
        m_parts->setSizes({kMapWide, m_look->hasMap() ? kMapWide : 1});
}

void PatchView::setCost(const QString& cost)
{
    m_cost->setText(cost);
}

QString PatchView::cost() const
{
    return m_cost->text();
}

void PatchView::setPatches(GridData patches, const PromptPair& pair, const QString& sentence, const QString& headline)
{
    m_headline->setText(headline);
    setSentence(sentence);
    m_difference->setPair(pair);
    if (patches.rows.empty()) { // more pairs of the same map keep the selection
        m_look->setLook({});
        m_chosen.stop();
    }
    m_grid->setGrid(std::move(patches));
}

QString PatchView::difference() const
{
    return m_difference->text();
}

QString PatchView::headline() const
{
    return m_headline->text();
}

void PatchView::fitLetters()
{
    QFont large = font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * kHeadlineSize);
    m_headline->setFont(large);
}

void PatchView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitLetters();
}

} // namespace headscope::widgets
