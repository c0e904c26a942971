// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of words and numbers, sorted by a click on a column. GUI thread.

#include <QAbstractTableModel>
#include <QStringList>
#include <QTableView>
#include <QVariantList>

#include <vector>

namespace headscope::widgets {

/// The numbers that a picture shows, and that are copied and saved.
struct Numbers {
    QStringList columns;            ///< the first names the rows
    std::vector<QVariantList> rows; ///< an entry a column: a text, or a number
    QString of;                     ///< model, prompt and state, appended to copied text; may be empty

    /// Returns all rows with every digit, tab-separated.
    [[nodiscard]] QString text() const;
};

class NumberTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// Returns the sort key of a column: numbers by size, unknown values last.
    static constexpr int kSortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setNumbers(Numbers numbers);
    [[nodiscard]] const Numbers& numbers() const { return m_numbers; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Numbers m_numbers;
};

class NumberTable : public QTableView
{
    Q_OBJECT

public:
    explicit NumberTable(const QString& name, QWidget* parent = nullptr);

    void setNumbers(Numbers numbers);
    [[nodiscard]] NumberTableModel* numbers() const { return m_model; }
    /// Selects a row of the numbers, whatever the sort order; -1: none.
    void setCurrentRow(int row);

Q_SIGNALS:
    /// Emitted when another row is selected; -1: none.
    void currentRow(int row);
    /// Emitted with the first entry of a double-clicked row.
    void rowChosen(const QString& name);

private:
    NumberTableModel* m_model;
};

} // namespace headscope::widgets
