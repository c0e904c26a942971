// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/numbertable.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>

#include <cmath>
#include <limits>

namespace headscope::widgets {

namespace {

bool isNumber(const QVariant& entry)
{
    return entry.typeId() == QMetaType::Double;
}

} // namespace

void NumberTableModel::setRows(QStringList columns, std::vector<QVariantList> rows)
{
    beginResetModel();
    m_columns = std::move(columns);
    m_rows = std::move(rows);
    endResetModel();
}

int NumberTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int NumberTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant NumberTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const QVariant& entry = m_rows[static_cast<std::size_t>(index.row())].at(index.column());
    switch (role) {
    case Qt::DisplayRole: return isNumber(entry) ? numberText(entry.toDouble(), 3) : entry.toString();
    case Qt::ToolTipRole: return isNumber(entry) ? QVariant() : plainText(entry.toString());
    case Qt::TextAlignmentRole:
        return isNumber(entry) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                               : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case kSortRole:
        if (isNumber(entry))
            return std::isnan(entry.toDouble()) ? -std::numeric_limits<double>::infinity() : entry.toDouble();
        return entry;
    default: return {};
    }
}

QVariant NumberTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal && role == Qt::DisplayRole && section < m_columns.size()
               ? QVariant(m_columns.at(section))
               : QVariant();
}

NumberTable::NumberTable(const QString& name, QWidget* parent) : QTableView(parent), m_model(new NumberTableModel(this))
{
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(NumberTableModel::kSortRole);
    setModel(sorted);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::DescendingOrder); // as they come, until a column is clicked
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setStretchLastSection(true);
    setAccessibleName(name);
    connect(this, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT rowChosen(index.siblingAtColumn(0).data().toString()); });
}

void NumberTable::setRows(const QStringList& columns, std::vector<QVariantList> rows)
{
    m_model->setRows(columns, std::move(rows));
    horizontalHeader()->setStretchLastSection(false); // or the last column keeps the width that it was stretched to
    resizeColumnsToContents();
    horizontalHeader()->setStretchLastSection(true);
}

} // namespace headscope::widgets
