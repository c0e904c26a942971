// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/numbertable.h"

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

QString shownEntry(const QVariant& entry)
{
    return isNumber(entry) ? numberText(entry.toDouble(), 3) : entry.toString();
}

} // namespace

QString Numbers::text() const
{
    QString text = columns.join(u'\t') + u'\n';
    for (const QVariantList& row : rows) {
        QStringList entries;
        for (const QVariant& entry : row)
            entries += !isNumber(entry)               ? entry.toString()
                       : std::isnan(entry.toDouble()) ? QString()
                                                      : QString::number(entry.toDouble(), 'g', 9);
        text += entries.join(u'\t') + u'\n';
    }
    return of.isEmpty() ? text : text + of + u'\n';
}

void NumberTableModel::setNumbers(Numbers numbers)
{
    // More of the same comes: where one looks stays.
    const bool same = numbers.columns == m_numbers.columns && numbers.rows.size() == m_numbers.rows.size();
    if (!same)
        beginResetModel();
    m_numbers = std::move(numbers);
    if (!same)
        endResetModel();
    else if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int NumberTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_numbers.rows.size());
}

int NumberTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_numbers.columns.size());
}

QVariant NumberTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const QVariantList& row = m_numbers.rows[static_cast<std::size_t>(index.row())];
    const QVariant& entry = row.at(index.column());
    switch (role) {
    case Qt::DisplayRole: return shownEntry(entry);
    case Qt::EditRole: return isNumber(entry) && std::isnan(entry.toDouble()) ? QVariant() : entry;
    case Qt::ToolTipRole: return isNumber(entry) ? QVariant() : plainText(entry.toString());
    case Qt::AccessibleTextRole:
        return index.column() == 0
                   ? entry.toString()
                   : QStringLiteral("%1, %2: %3")
                         .arg(row.front().toString(), m_numbers.columns.at(index.column()), shownEntry(entry));
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
    return orientation == Qt::Horizontal && role == Qt::DisplayRole && section < m_numbers.columns.size()
               ? QVariant(m_numbers.columns.at(section))
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
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // thousands of rows are not measured
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setStretchLastSection(true);
    setAccessibleName(name);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, sorted](const QModelIndex& now) { Q_EMIT currentRow(sorted->mapToSource(now).row()); });
    connect(this, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT rowChosen(index.siblingAtColumn(0).data().toString()); });
}

void NumberTable::setCurrentRow(int row)
{
    const auto& sorted = static_cast<const QSortFilterProxyModel&>(*model());
    if (row < 0)
        selectionModel()->clear();
    else if (sorted.mapToSource(currentIndex()).row() != row)
        selectRow(sorted.mapFromSource(m_model->index(row, 0)).row());
}

void NumberTable::setNumbers(Numbers numbers)
{
    m_model->setNumbers(std::move(numbers));
    horizontalHeader()->setStretchLastSection(false); // or the last column keeps the width that it was stretched to
    resizeColumnsToContents();
    horizontalHeader()->setStretchLastSection(true);
}

} // namespace headscope::widgets
