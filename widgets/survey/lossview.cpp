// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/lossview.h"

#include "widgets/look/labels/plainlabel.h"

#include <QHeaderView>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

void fillTable(QStandardItemModel& model, QTableView& view, const LossView::Table& table)
{
    model.clear();
    model.setHorizontalHeaderLabels(table.header);
    for (const QStringList& row : table.rows) {
        QList<QStandardItem*> items;
        for (const QString& text : row)
            items.append(new QStandardItem(text));
        model.appendRow(items);
    }
    view.resizeColumnsToContents();
}

} // namespace

LossView::LossView(QWidget* parent)
    : QWidget(parent), m_sentence(new PlainLabel), m_groups(new QStandardItemModel(this)),
      m_rises(new QStandardItemModel(this)), m_groupTable(makeTable(m_groups, tr("Loss of next tokens by group"))),
      m_riseTable(makeTable(m_rises, tr("Tokens whose loss rises most")))
{
    m_sentence->setWordWrap(true);
    auto* both = new QSplitter(Qt::Vertical);
    both->addWidget(m_groupTable);
    both->addWidget(m_riseTable);
    both->setChildrenCollapsible(false);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_sentence);
    lines->addWidget(both, 1);
}

QTableView* LossView::makeTable(QStandardItemModel* model, const QString& name)
{
    auto* table = new QTableView;
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false); // a number stays in one line with its interval
    table->verticalHeader()->hide();
    table->horizontalHeader()->setStretchLastSection(true);
    table->setAccessibleName(name);
    return table;
}

void LossView::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

QString LossView::sentence() const
{
    return m_sentence->text();
}

void LossView::setGroups(const Table& table)
{
    fillTable(*m_groups, *m_groupTable, table);
}

void LossView::setRises(const Table& table)
{
    fillTable(*m_rises, *m_riseTable, table);
}

} // namespace headscope::widgets
