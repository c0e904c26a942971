// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of heads and their metrics: one row per head, one column per metric. GUI thread.

#include "core/base/side.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

struct SurveyRow {
    QString head;               ///< "L2H5"
    std::vector<double> values; ///< by column; NaN: not defined for this head
    Side side = Side::A;        ///< its model
};

class SurveyModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// The value of a cell, used for sorting; for the first column the row.
    static constexpr int kValueRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(QStringList metrics, std::vector<SurveyRow> rows);
    [[nodiscard]] const QStringList& metrics() const { return m_metrics; }
    [[nodiscard]] const std::vector<SurveyRow>& rows() const { return m_rows; }
    /// Returns the label of a row's head: "L2H5"; "A L2H5" if there are heads of two models.
    [[nodiscard]] QString label(std::size_t row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_metrics;
    std::vector<SurveyRow> m_rows;
    bool m_two = false; ///< heads of two models
};

} // namespace headscope::widgets
