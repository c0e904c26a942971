// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/scorepartsview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/why/parts/bardelegate.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::widgets {

ScorePartsView::ScorePartsView(QWidget* parent)
    : QWidget(parent), m_title(new PlainLabel(this)), m_sentence(new PlainLabel(this)), m_queryCaption(new PlainLabel),
      m_keyCaption(new PlainLabel), m_query(new PartModel(this)), m_key(new PartModel(this)),
      m_pairs(new NumberTable(tr("Pairs of writers that add most")))
{
    m_sentence->setWordWrap(true);
    m_pairs->setWhatsThis(tr("How much of the score comes from what one writer left at the query combined with what "
                             "another left at the key."));
    connect(m_pairs, &NumberTable::rowChosen, this, &ScorePartsView::writerChosen);
    auto* tables = new QSplitter(Qt::Horizontal);
    tables->addWidget(
        makeList(m_queryCaption, m_query, tr("Written at the query"),
                 tr("The score is a sum over everything written into the stream at the query token: the embedding, "
                    "earlier heads and MLPs. The key is held fixed. Double-click a head to see its pattern.")));
    tables->addWidget(makeList(
        m_keyCaption, m_key, tr("Written at the key"),
        tr("The same for the key token, minus the mean over all tokens that the head sees. The query is held fixed.")));
    tables->addWidget(m_pairs);
    tables->setChildrenCollapsible(false);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_title);
    lines->addWidget(m_sentence);
    lines->addWidget(tables, 1);
}

QWidget* ScorePartsView::makeList(QLabel* caption, PartModel* parts, const QString& name, const QString& help)
{
    auto* table = new QTableView;
    table->setModel(parts);
    table->setItemDelegateForColumn(PartModel::Bar, new BarDelegate(table));
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
    table->horizontalHeader()->hide();
    table->horizontalHeader()->setStretchLastSection(true);
    table->setAccessibleName(name);
    table->setWhatsThis(help);
    caption->setBuddy(table);
    connect(table, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT writerChosen(index.siblingAtColumn(PartModel::Name).data().toString());
    });
    connect(parts, &PartModel::modelReset, table, [table] { table->resizeColumnToContents(PartModel::Name); });
    auto* list = new QWidget;
    auto* lines = new QVBoxLayout(list);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(caption);
    lines->addWidget(table, 1);
    return list;
}

void ScorePartsView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void ScorePartsView::setParts(ScorePartsData parts, const QString& sentence)
{
    m_sentence->setText(sentence);
    m_queryCaption->setText(parts.query.empty() ? QString() : tr("Query: written at “%1”").arg(parts.queryToken));
    m_keyCaption->setText(parts.key.empty() ? QString() : tr("Key: written at “%1”").arg(parts.keyToken));
    m_query->setParts(std::move(parts.query));
    m_key->setParts(std::move(parts.key));
    m_pairs->setRows({tr("query"), tr("key"), tr("both add")}, std::move(parts.pairs));
}

QString ScorePartsView::sentence() const
{
    return m_sentence->text();
}

} // namespace headscope::widgets
