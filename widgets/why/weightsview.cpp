// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/weightsview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/theme.h"

#include <QSplitter>
#include <QVBoxLayout>

namespace headscope::widgets {

WeightsView::WeightsView(QWidget* parent)
    : QWidget(parent), m_title(new PlainLabel(this)), m_sentence(new PlainLabel(this)),
      m_copying(new NumberTable(tr("Copying score of every head"))),
      m_composed(new NumberTable(tr("Heads that compose with the one that is shown"))),
      m_directions(new NumberTable(tr("Singular directions of the head and their tokens")))
{
    m_sentence->setWordWrap(true);
    m_copying->setWhatsThis(tr("1: the head raises the logit of the token that it reads (copies); −1: it lowers it "
                               "(suppresses). From the eigenvalues of unembedding × output × value × embedding."));
    m_composed->setWhatsThis(
        tr("How strongly the receiver reads what the sender writes, through its query, key or value "
           "(C, B or x of an SSM), compared with random matrices of this width."));
    m_directions->setWhatsThis(
        tr("The strongest singular directions of the head's output (OV) and of its attention (QK), "
           "each with the nearest tokens at both ends. An SSM head has x in place of the value, and B "
           "and C in place of key and query."));
    auto* right = new QSplitter(Qt::Vertical);
    right->addWidget(m_composed);
    right->addWidget(m_directions);
    right->setChildrenCollapsible(false);
    auto* both = new QSplitter(Qt::Horizontal);
    both->addWidget(m_copying);
    both->addWidget(right);
    both->setChildrenCollapsible(false);
    both->setStretchFactor(0, 1);
    both->setStretchFactor(1, 4);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_title);
    lines->addWidget(m_sentence);
    lines->addWidget(both, 1);
    connect(m_copying, &NumberTable::rowChosen, this, &WeightsView::headChosen);
    connect(m_composed, &NumberTable::rowChosen, this, &WeightsView::headChosen);
}

void WeightsView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void WeightsView::setWeights(WeightsData weights, const QString& sentence)
{
    m_sentence->setText(sentence);
    m_copying->setRows({tr("head"), tr("copying")}, std::move(weights.copying));
    m_composed->setRows({tr("sender"), tr("receiver"), tr("through"), tr("composition"), tr("above random")},
                        std::move(weights.composed));
    m_directions->setRows({tr("matrix"), tr("singular value"), tr("reads"), tr("writes")},
                          std::move(weights.directions));
}

QString WeightsView::sentence() const
{
    return m_sentence->text();
}

} // namespace headscope::widgets
