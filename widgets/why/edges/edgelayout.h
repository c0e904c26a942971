// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places the parts and edges of a circuit in a rectangle: layers from top to bottom as in the head map, each edge from
// below its sender to the port of its input on the reader. Geometry without a window; any thread.

#include "widgets/why/edges/edgedata.h"

#include <QPainterPath>
#include <QRectF>

namespace headscope::widgets {

class EdgeLayout
{
public:
    EdgeLayout(const EdgeData& data, const QSizeF& size, double rowNames);

    /// Returns a cell of a row; column -1: the cell across the whole row.
    [[nodiscard]] QRectF cell(int row, int column) const;
    [[nodiscard]] QRectF part(int index) const;
    [[nodiscard]] QPainterPath path(const GraphEdge& edge) const;
    /// Returns the point where an edge enters its reader.
    [[nodiscard]] QPointF door(const GraphEdge& edge) const;
    /// Returns the nearest of the first `shown` edges to a point, at most `reach` away; -1: none.
    [[nodiscard]] int edgeAt(const QPointF& point, int shown, double reach) const;
    /// Returns the part under a point; -1: none.
    [[nodiscard]] int partAt(const QPointF& point) const;

private:
    const EdgeData& m_data;
    double m_left, m_width, m_rowHeight;
    int m_columns = 1;
    std::vector<QStringList> m_doors; ///< by part, in the order of the data
};

} // namespace headscope::widgets
