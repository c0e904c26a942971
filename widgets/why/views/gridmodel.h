// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A grid as item views, screen readers and headers ask for it; several columns may be seen as one. GUI thread.

#include "widgets/why/views/griddata.h"

#include <QAbstractTableModel>

namespace headscope::widgets {

class GridModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Whether rows and columns stayed as they were.
    bool setGrid(GridData grid);
    [[nodiscard]] const GridData& grid() const { return m_grid; }
    void setPool(int columns);
    [[nodiscard]] int pool() const { return m_pool; }
    /// A cell as it is seen: of several columns the mean of their places on the scale, without a number.
    [[nodiscard]] GridCell shownCell(int row, int column) const;
    /// Null where several columns are seen as one.
    [[nodiscard]] const GridLine* line(int section, Qt::Orientation orientation) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    /// Of cells also Qt::EditRole: the number with every digit.
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// The first and the last column of the grid in one that is seen.
    [[nodiscard]] std::pair<int, int> span(int column) const;
    [[nodiscard]] QString words(int row, int column) const;

    GridData m_grid;
    int m_pool = 1;
};

} // namespace headscope::widgets
