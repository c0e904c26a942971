// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads and all numbers that are known of each: a row a head, a column a number. GUI thread.

#include "core/base/side.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

struct SurveyRow {
    QString head;               ///< "L2H5"
    std::vector<double> values; ///< by column; NaN: it says nothing of this head
    Side side = Side::A;        ///< of the model
};

class SurveyModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// A cell's number, by which the table is sorted; of the first column the row.
    static constexpr int kValueRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(QStringList metrics, std::vector<SurveyRow> rows);
    [[nodiscard]] const QStringList& metrics() const { return m_metrics; }
    [[nodiscard]] const std::vector<SurveyRow>& rows() const { return m_rows; }
    /// How a row's head is called: "L2H5"; with heads of two models "A L2H5".
    [[nodiscard]] QString label(std::size_t row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_metrics;
    std::vector<SurveyRow> m_rows;
    bool m_two = false; ///< models
};

} // namespace headscope::widgets
