// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patterngeometry.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

PatternGeometry::PatternGeometry(const QRectF& area, int rows, int cols, const Viewport& viewport)
    : m_rows(rows), m_cols(cols)
{
    const double room = std::floor(std::min(area.width(), area.height()));
    const int longest = std::max(rows, cols);
    if (longest <= 0 || room < 1)
        return;
    const double snapped = std::floor(room / longest) * longest;
    const double side = snapped >= 0.96 * room ? snapped : room;
    m_plot = QRectF(std::round(area.left()), std::round(area.top()), side, side);
    m_viewport = clamped(viewport, maxZoom());
}

double PatternGeometry::left() const
{
    return m_viewport.centreX * m_cols - 0.5 * m_cols / m_viewport.zoom;
}

double PatternGeometry::top() const
{
    return m_viewport.centreY * m_rows - 0.5 * m_rows / m_viewport.zoom;
}

int PatternGeometry::colAt(double x) const
{
    if (!valid() || x < m_plot.left() || x >= m_plot.right())
        return -1;
    return std::clamp(static_cast<int>(std::floor(left() + (x - m_plot.left()) / cellWidth())), 0, m_cols - 1);
}

int PatternGeometry::rowAt(double y) const
{
    if (!valid() || y < m_plot.top() || y >= m_plot.bottom())
        return -1;
    return std::clamp(static_cast<int>(std::floor(top() + (y - m_plot.top()) / cellHeight())), 0, m_rows - 1);
}

QRectF PatternGeometry::cellRect(int row, int col) const
{
    return {xOf(col), yOf(row), cellWidth(), cellHeight()};
}

AxisSpan PatternGeometry::columns() const
{
    return {xOf(0), cellWidth(), m_cols, m_plot.left(), m_plot.right()};
}

AxisSpan PatternGeometry::rowSpan() const
{
    return {yOf(0), cellHeight(), m_rows, m_plot.top(), m_plot.bottom()};
}

double PatternGeometry::maxZoom() const
{
    const int shortest = std::min(m_rows, m_cols);
    return shortest > 0 && m_plot.width() > 0 ? std::max(1.0, kMaxCell * shortest / m_plot.width()) : 1.0;
}

Viewport PatternGeometry::zoomedAt(const QPointF& at, double factor) const
{
    if (!valid())
        return m_viewport;
    const double u = std::clamp((at.x() - m_plot.left()) / m_plot.width(), 0.0, 1.0);
    const double v = std::clamp((at.y() - m_plot.top()) / m_plot.height(), 0.0, 1.0);
    const double x = m_viewport.centreX + (u - 0.5) / m_viewport.zoom; // the fixed point, as a fraction of the map
    const double y = m_viewport.centreY + (v - 0.5) / m_viewport.zoom;
    Viewport next;
    next.zoom = std::clamp(m_viewport.zoom * factor, 1.0, maxZoom());
    next.centreX = x - (u - 0.5) / next.zoom;
    next.centreY = y - (v - 0.5) / next.zoom;
    return clamped(next, maxZoom());
}

Viewport PatternGeometry::panned(const QPointF& delta) const
{
    if (!valid())
        return m_viewport;
    Viewport next = m_viewport;
    next.centreX -= delta.x() / (m_plot.width() * m_viewport.zoom);
    next.centreY -= delta.y() / (m_plot.height() * m_viewport.zoom);
    return clamped(next, maxZoom());
}

Viewport PatternGeometry::revealing(int row, int col) const
{
    if (!valid())
        return m_viewport;
    const auto shifted = [](double centre, double half, double low, double high) {
        if (low < centre - half)
            return low + half;
        return high > centre + half ? high - half : centre;
    };
    const double half = 0.5 / m_viewport.zoom;
    Viewport next = m_viewport;
    next.centreX = shifted(next.centreX, half, static_cast<double>(col) / m_cols, (col + 1.0) / m_cols);
    next.centreY = shifted(next.centreY, half, static_cast<double>(row) / m_rows, (row + 1.0) / m_rows);
    return clamped(next, maxZoom());
}

Viewport PatternGeometry::followed(const Viewport& viewport, int rows, int count,
                                   const std::function<int(int)>& partner)
{
    if (rows <= 0 || count <= 0 || viewport.zoom <= 1)
        return viewport;
    const auto moved = [&](double centre) {
        const double place = centre * rows;
        const int token = std::clamp(static_cast<int>(std::floor(place)), 0, rows - 1);
        const int there = partner(token);
        return there < 0 ? centre : (there + (place - token)) / count;
    };
    return {moved(viewport.centreX), moved(viewport.centreY), viewport.zoom};
}

Viewport PatternGeometry::clamped(Viewport viewport, double maxZoom)
{
    viewport.zoom = std::clamp(viewport.zoom, 1.0, maxZoom);
    const double half = 0.5 / viewport.zoom;
    viewport.centreX = std::clamp(viewport.centreX, half, 1 - half);
    viewport.centreY = std::clamp(viewport.centreY, half, 1 - half);
    return viewport;
}

} // namespace headscope::widgets
