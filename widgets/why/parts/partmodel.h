// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Direct contributions of parts to a logit difference: largest first, their sum at the end. GUI thread.

#include <QAbstractTableModel>

#include <limits>
#include <vector>

namespace headscope::widgets {

struct PartRow {
    QString name; ///< "L2H5", "L2.mlp", "embed"
    double value = 0;
    bool head = false;
    double low = std::numeric_limits<double>::quiet_NaN(); ///< 95 % interval over several prompts; NaN: one prompt
    double high = std::numeric_limits<double>::quiet_NaN();

    [[nodiscard]] bool hasInterval() const { return low <= high; }
};

class PartModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Name, Bar, ColumnCount };
    enum Role {
        ValueRole = Qt::UserRole, ///< double
        ScaleRole,                ///< double: the largest magnitude of all rows
        SumRole,                  ///< bool: the row of the sum
        HeadRole,                 ///< bool: a head
        LowRole,                  ///< double: the ends of the interval; NaN: none
        HighRole
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setParts(std::vector<PartRow> parts);
    [[nodiscard]] double sum() const { return m_sum; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] static QString words(const PartRow& part);

    std::vector<PartRow> m_parts; ///< by magnitude; the sum last
    double m_sum = 0, m_scale = 1;
};

} // namespace headscope::widgets
