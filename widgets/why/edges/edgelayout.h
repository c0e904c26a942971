// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the parts and edges of a circuit are in a rectangle: layers from the top down as in the head map, each edge
// from below its sender to the door of its reader that it goes through. Geometry without a window; any thread.

#include "widgets/why/edges/edgedata.h"

#include <QPainterPath>
#include <QRectF>

namespace headscope::widgets {

class EdgeLayout
{
public:
    EdgeLayout(const EdgeData& data, const QSizeF& size, double rowNames);

    /// Any cell of a row; column -1: the one over the whole row.
    [[nodiscard]] QRectF cell(int row, int column) const;
    [[nodiscard]] QRectF part(int index) const;
    [[nodiscard]] QPainterPath path(const GraphEdge& edge) const;
    /// Where an edge enters its reader.
    [[nodiscard]] QPointF door(const GraphEdge& edge) const;
    /// The nearest of the first `shown` edges to a point, at most `reach` away; -1: none.
    [[nodiscard]] int edgeAt(const QPointF& point, int shown, double reach) const;
    /// The part under a point; -1: none.
    [[nodiscard]] int partAt(const QPointF& point) const;

private:
    const EdgeData& m_data;
    double m_left, m_width, m_rowHeight;
    int m_columns = 1;
    std::vector<QStringList> m_doors; ///< by part, in the order of the data
};

} // namespace headscope::widgets
