// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads and what was measured of each: a row a head, a column a metric. GUI thread.

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

struct SurveyRow {
    QString head;               ///< "L2H5"
    std::vector<double> values; ///< by metric; NaN: the metric says nothing of this head
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

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_metrics;
    std::vector<SurveyRow> m_rows;
};

} // namespace headscope::widgets
