// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of words and numbers, sorted by a click on a column. GUI thread.

#include <QAbstractTableModel>
#include <QStringList>
#include <QTableView>
#include <QVariantList>

#include <vector>

namespace headscope::widgets {

class NumberTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// The sort key of a column: numbers by size, unknown values last.
    static constexpr int kSortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    /// Sets the rows, with one entry per column: a text or a number.
    void setRows(QStringList columns, std::vector<QVariantList> rows);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_columns;
    std::vector<QVariantList> m_rows;
};

class NumberTable : public QTableView
{
    Q_OBJECT

public:
    explicit NumberTable(const QString& name, QWidget* parent = nullptr);

    void setRows(const QStringList& columns, std::vector<QVariantList> rows);
    [[nodiscard]] NumberTableModel* numbers() const { return m_model; }

Q_SIGNALS:
    /// A row was double-clicked; the argument is its first entry.
    void rowChosen(const QString& name);

private:
    NumberTableModel* m_model;
};

} // namespace headscope::widgets
