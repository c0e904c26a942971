// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/weightsview.h"

#include "widgets/look/plainlabel.h"
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
    m_copying->setWhatsThis(tr("1: what the head reads of a token raises that token's own logit, it copies; -1: it "
                               "suppresses. From the eigenvalues of unembedding, output, value and embedding."));
    m_composed->setWhatsThis(tr("How much of what the sender writes the receiver is made to read, through its query, "
                                "key or value (an SSM's C, B, x), beside what random matrices of this width give."));
    m_directions->setWhatsThis(tr("The strongest directions of what the head does to the stream (OV) and of what it "
                                  "looks for (QK), each with the tokens nearest to its two ends. An SSM head has x in "
                                  "the place of the value, B and C in those of key and query."));
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
