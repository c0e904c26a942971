// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a circuit: the parts of a model by layer, edges as thick as what they carry, dashed where they go the other
// way. On any QPainter; GUI thread (it measures fonts).

#include "core/base/side.h"
#include "widgets/look/theme.h"
#include "widgets/why/edges/edgelayout.h"

class QPainter;

namespace headscope::widgets {

class EdgePainter
{
public:
    static constexpr double kRowNames = 34; ///< room of the layers' names

    EdgePainter(const EdgeData& edges, const QSizeF& size, Side side, const Theme& theme);

    /// How many of the first edges reach a share; the others are not drawn.
    [[nodiscard]] static int shown(const EdgeData& edges, double threshold);
    /// With the painter's font. `selected`: one that is drawn above all; -1: none.
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
