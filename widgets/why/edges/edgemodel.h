// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of edges: sender, reader and its input, and the effect of each. GUI thread.

#include "widgets/why/edges/edgedata.h"

#include <QAbstractTableModel>

namespace headscope::widgets {

class EdgeModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { From, To, Share, Interval, Change, Count };

    using QAbstractTableModel::QAbstractTableModel;

    void setEdges(EdgeData edges);
    [[nodiscard]] const EdgeData& edges() const { return m_edges; }
    /// "L1H2 into L2H5.k: 0.93 of the way to the other run (95 % interval 0.90 to 0.96), logit difference +16.2"
    [[nodiscard]] QString words(int edge) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    EdgeData m_edges;
};

} // namespace headscope::widgets
