// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/weightsview.h"

#include "widgets/look/labels/plainlabel.h"

namespace headscope::widgets {

namespace {

constexpr int kCopyingWide = 200, kComposedWide = 600; // pixels
constexpr int kPicturesHigh = 280, kTableHigh = 120;
constexpr int kWeightsSentence = 2; // lines: grids of two models need the room

} // namespace

WeightsView::WeightsView(QWidget* parent)
    : AnalysisView(parent, kWeightsSentence), m_copying(new GridView(tr("Copying score of every head"))),
      m_composed(new GridsView(tr("Heads that compose with the one that is shown"))),
      m_copies(new TabledView(static_cast<QWidget*>(m_copying), QStringLiteral("copying"))),
      m_pairs(new TabledView(m_composed, QString())),
      m_directions(new NumberTable(tr("Singular directions of the head and their tokens")))
{
    m_copying->setWhatsThis(tr("1: the head raises the logit of the token that it reads (copies); −1: it lowers it "
                               "(suppresses). From the eigenvalues of unembedding × output × value × embedding."));
    m_composed->setWhatsThis(
        tr("How strongly the receiver reads what the sender writes, through its query, key or value "
           "(C, B or x of an SSM), compared with random matrices of this width."));
    m_directions->setWhatsThis(
        tr("The strongest singular directions of the head's output (OV) and of its attention (QK), "
           "each with the nearest tokens at both ends. An SSM head has x in place of the value, and B "
           "and C in place of key and query."));
    auto* pictures = new QSplitter(Qt::Horizontal);
    pictures->addWidget(captioned(new PlainLabel(tr("Copying")), m_copies));
    pictures->addWidget(m_pairs);
    pictures->setSizes({kCopyingWide, kComposedWide});
    auto* both = new QSplitter(Qt::Vertical);
    both->addWidget(pictures);
    both->addWidget(m_directions);
    both->setSizes({kPicturesHigh, kTableHigh});
    for (QSplitter* splitter : {pictures, both})
        splitter->setChildrenCollapsible(false);
    lines()->addWidget(both, 1);
    connect(m_copying, &GridView::cellChosen, this, &WeightsView::cellChosen);
    connect(m_composed, &GridsView::cellChosen, this, &WeightsView::cellChosen);
    connect(m_copies->table(), &NumberTable::rowChosen, this, &WeightsView::headChosen);
    connect(m_pairs->table(), &NumberTable::rowChosen, this, &WeightsView::headChosen);
}

void WeightsView::setWeights(WeightsData weights, const QString& sentence)
{
    setSentence(sentence);
    m_copying->setGrid(std::move(weights.copying));
    m_composed->setGrids(weights.parts, std::move(weights.composed));
    m_copies->setNumbers(std::move(weights.copies));
    m_pairs->setNumbers(std::move(weights.pairs));
    m_directions->setNumbers(std::move(weights.directions));
}

} // namespace headscope::widgets
