// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgelayout.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kHighestCell = 22, kWidestCell = 44, kLeastCell = 3; // pixels of a cell
constexpr int kSteps = 24; // a curve is as near as the nearest of so many points

} // namespace

EdgeLayout::EdgeLayout(const EdgeData& data, const QSizeF& size, double rowNames)
    : m_data(data), m_left(rowNames), m_width(std::max(size.width() - rowNames, 1.0)),
      m_rowHeight(size.height() / std::max<double>(static_cast<double>(data.rows.size()), 1)),
      m_doors(data.parts.size())
{
    for (const int cells : data.cells)
        m_columns = std::max(m_columns, cells);
    for (const GraphEdge& edge : data.edges)
        if (QStringList& doors = m_doors[static_cast<std::size_t>(edge.to)]; !doors.contains(edge.through))
            doors.append(edge.through);
    for (QStringList& doors : m_doors) // wherever the strongest edge goes, a door keeps its place
        doors.sort();
}

QRectF EdgeLayout::cell(int row, int column) const
{
    const double high = std::clamp(m_rowHeight * 0.4, kLeastCell, kHighestCell);
    const double middle = (row + 0.5) * m_rowHeight;
    if (column < 0) {
        const double wide = std::min(m_width, 3 * kWidestCell);
        return {m_left + (m_width - wide) / 2, middle - high / 2, wide, high};
    }
    const double step = m_width / m_columns;
    const double wide = std::clamp(step * 0.8, kLeastCell, kWidestCell);
    return {m_left + (column + 0.5) * step - wide / 2, middle - high / 2, wide, high};
}

QRectF EdgeLayout::part(int index) const
{
    const GraphPart& part = m_data.parts[static_cast<std::size_t>(index)];
    return cell(part.row, part.column);
}

QPointF EdgeLayout::door(const GraphEdge& edge) const
{
    const QRectF to = part(edge.to);
    const QStringList& doors = m_doors[static_cast<std::size_t>(edge.to)];
    const double place = (static_cast<double>(doors.indexOf(edge.through)) + 0.5) / static_cast<double>(doors.size());
    return {to.left() + place * to.width(), to.top()};
}

QPainterPath EdgeLayout::path(const GraphEdge& edge) const
{
    const QRectF from = part(edge.from), to = part(edge.to);
    QPainterPath path(QPointF(from.center().x(), from.bottom()));
    if (m_data.parts[static_cast<std::size_t>(edge.from)].row == m_data.parts[static_cast<std::size_t>(edge.to)].row) {
        // A layer's MLP reads its heads: below the row, so that nothing crosses it.
        const QPointF end(to.center().x(), to.bottom()), down(0, m_rowHeight * 0.3);
        path.cubicTo(path.currentPosition() + down, end + down, end);
        return path;
    }
    const QPointF end = door(edge), bend(0, std::max((end.y() - from.bottom()) * 0.5, m_rowHeight * 0.2));
    path.cubicTo(path.currentPosition() + bend, end - bend, end);
    return path;
}

int EdgeLayout::edgeAt(const QPointF& point, int shown, double reach) const
{
    int nearest = -1;
    double best = reach;
    for (int i = 0; i < std::min(shown, static_cast<int>(m_data.edges.size())); ++i) {
        const QPainterPath line = path(m_data.edges[static_cast<std::size_t>(i)]);
        for (int step = 0; step <= kSteps; ++step) {
            const QPointF away = line.pointAtPercent(static_cast<double>(step) / kSteps) - point;
            if (const double distance = std::hypot(away.x(), away.y()); distance < best) {
                best = distance;
                nearest = i;
            }
        }
    }
    return nearest;
}

int EdgeLayout::partAt(const QPointF& point) const
{
    for (int i = 0; i < static_cast<int>(m_data.parts.size()); ++i)
        if (part(i).adjusted(-1, -1, 1, 1).contains(point))
            return i;
    return -1;
}

} // namespace headscope::widgets
