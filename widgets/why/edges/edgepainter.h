// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a circuit: the parts of a model by layer, edges as thick as their effect, dashed if it is negative. On any
// QPainter; GUI thread (it measures fonts).

#include "core/base/side.h"
#include "widgets/look/theme.h"
#include "widgets/why/edges/edgelayout.h"

class QPainter;

namespace headscope::widgets {

class EdgePainter
{
public:
    static constexpr double kRowNames = 34; ///< width of the layer names

    EdgePainter(const EdgeData& edges, const QSizeF& size, Side side, const Theme& theme);

    /// Returns how many of the leading edges reach a share; the others are not drawn.
    [[nodiscard]] static int shown(const EdgeData& edges, double threshold);
    /// Draws with the painter's font. `selected`: an edge drawn on top; -1: none.
    void draw(QPainter& painter, int shown, int selected) const;

private:
    void drawCells(QPainter& painter) const;
    void drawEdges(QPainter& painter, int shown, int selected) const;
    void drawEdge(QPainter& painter, const GraphEdge& edge, bool chosen) const;
    void drawDoors(QPainter& painter, int shown) const;
    void drawParts(QPainter& painter, int shown) const;

    const EdgeData& m_edges;
    EdgeLayout m_layout;
    Side m_side;
    Theme m_theme;
};

} // namespace headscope::widgets
