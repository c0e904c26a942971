// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Zoom and pan of a pattern map as arithmetic between cells and pixels. Pure values; any thread.

#include "widgets/pattern/tokenaxis.h"

#include <QPointF>
#include <QRectF>

#include <functional>

namespace headscope::widgets {

/// The visible part of a map, independent of its size in pixels and in tokens, so that two maps can share it.
struct Viewport {
    double centreX = 0.5; ///< centre of the visible part as a fraction of all columns
    double centreY = 0.5; ///< ... of all rows
    double zoom = 1;      ///< 1 shows the whole map

    bool operator==(const Viewport&) const = default;
};

/// Converts between cells (rows, columns of the matrix) and logical pixels of a square plot area.
class PatternGeometry
{
public:
    static constexpr double kMaxCell = 96; ///< logical pixels of a cell at the closest zoom

    PatternGeometry() = default;
    /// `area`: space for the map. The plot is the largest square at its top left, reduced to whole pixels per cell if
    /// that loses less than 4 %, so that all cells of a short prompt have equal size.
    PatternGeometry(const QRectF& area, int rows, int cols, const Viewport& viewport);

    [[nodiscard]] const QRectF& plot() const { return m_plot; }
    [[nodiscard]] const Viewport& viewport() const { return m_viewport; }
    [[nodiscard]] int rows() const { return m_rows; }
    [[nodiscard]] int cols() const { return m_cols; }
    [[nodiscard]] bool valid() const { return m_rows > 0 && m_cols > 0 && m_plot.width() >= 1; }

    [[nodiscard]] double cellWidth() const { return m_plot.width() * m_viewport.zoom / m_cols; }
    [[nodiscard]] double cellHeight() const { return m_plot.height() * m_viewport.zoom / m_rows; }
    [[nodiscard]] double xOf(double col) const { return m_plot.left() + (col - left()) * cellWidth(); }
    [[nodiscard]] double yOf(double row) const { return m_plot.top() + (row - top()) * cellHeight(); }
    /// Return the cell at a coordinate; -1 outside of the plot.
    [[nodiscard]] int colAt(double x) const;
    [[nodiscard]] int rowAt(double y) const;
    /// Return the fractional cell at the left and at the top edge of the plot.
    [[nodiscard]] double left() const;
    [[nodiscard]] double top() const;
    [[nodiscard]] QRectF cellRect(int row, int col) const;
    [[nodiscard]] AxisSpan columns() const;
    [[nodiscard]] AxisSpan rowSpan() const;

    /// Returns the largest useful zoom: a cell of kMaxCell pixels, at least 1.
    [[nodiscard]] double maxZoom() const;
    /// Returns the viewport after zooming by `factor` with the cell under `at` fixed.
    [[nodiscard]] Viewport zoomedAt(const QPointF& at, double factor) const;
    /// Returns the viewport after the map was dragged by `delta` pixels.
    [[nodiscard]] Viewport panned(const QPointF& delta) const;
    /// Returns the viewport with the smallest change that makes a cell visible.
    [[nodiscard]] Viewport revealing(int row, int col) const;

    /// Returns the viewport of another map of `count` tokens with the same token in its middle; `partner` maps a token
    /// of this map (of `rows` rows and columns) to its index there, -1: none. Without a partner the fraction is kept.
    [[nodiscard]] static Viewport followed(const Viewport& viewport, int rows, int count,
                                           const std::function<int(int)>& partner);

    /// Returns the viewport moved so that the visible part is inside the map.
    [[nodiscard]] static Viewport clamped(Viewport viewport, double maxZoom);

private:
    QRectF m_plot;
    int m_rows = 0;
    int m_cols = 0;
    Viewport m_viewport;
};

} // namespace headscope::widgets
