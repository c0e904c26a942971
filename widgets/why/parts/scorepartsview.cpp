// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/scorepartsview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/why/views/tabledview.h"

namespace headscope::widgets {

ScorePartsView::ScorePartsView(QWidget* parent)
    : AnalysisView(parent), m_queryCaption(new PlainLabel), m_keyCaption(new PlainLabel),
      m_query(new BarsView(tr("Written at the query"), tr("adds to the score"))),
      m_key(new BarsView(tr("Written at the key"), tr("adds to the score"))),
      m_pairs(new NumberTable(tr("Pairs of writers that add most")))
{
    m_pairs->setWhatsThis(tr("How much of the score comes from what one writer left at the query combined with what "
                             "another left at the key."));
    connect(m_pairs, &NumberTable::rowChosen, this, &ScorePartsView::writerChosen);
    auto* tables = new QSplitter(Qt::Horizontal);
    tables->addWidget(
        captioned(m_queryCaption, m_query,
                  tr("The score is a sum over everything written into the stream at the query token: the embedding, "
                     "earlier heads and MLPs. The key is held fixed. Double-click a head to see its pattern.")));
    tables->addWidget(captioned(
        m_keyCaption, m_key,
        tr("The same for the key token, minus the mean over all tokens that the head sees. The query is held fixed.")));
    tables->addWidget(m_pairs);
    tables->setChildrenCollapsible(false);
    lines()->addWidget(tables, 1);
}

QWidget* ScorePartsView::captioned(QLabel* caption, BarsView* bars, const QString& help)
{
    bars->setWhatsThis(help);
    caption->setBuddy(bars);
    connect(bars, &BarsView::partChosen, this, &ScorePartsView::writerChosen);
    return widgets::captioned(caption, new TabledView(bars, QString()));
}

void ScorePartsView::setParts(ScorePartsData parts, const QString& sentence)
{
    setSentence(sentence);
    m_queryCaption->setText(parts.query.empty() ? QString() : tr("Query: written at “%1”").arg(parts.queryToken));
    m_keyCaption->setText(parts.key.empty() ? QString() : tr("Key: written at “%1”").arg(parts.keyToken));
    m_query->setBars(std::move(parts.query));
    m_key->setBars(std::move(parts.key));
    m_pairs->setNumbers(
        {.columns = {tr("query"), tr("key"), tr("both add")}, .rows = std::move(parts.pairs), .of = {}});
}

} // namespace headscope::widgets
