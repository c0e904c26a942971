// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgepainter.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kThin = 1, kThick = 8; // pens
constexpr int kMostDrawn = 400, kMostCells = 4096;

double penOf(double share)
{
    return kThin + (kThick - kThin) * std::min(std::abs(share), 1.0);
}

} // namespace

EdgePainter::EdgePainter(const EdgeData& edges, const QSizeF& size, Side side, const Theme& theme)
    : m_edges(edges), m_layout(edges, size, kRowNames), m_side(side), m_theme(theme)
{
}

int EdgePainter::shown(const EdgeData& edges, double threshold)
{
    const auto weak = std::ranges::find_if(
        edges.edges, [threshold](const GraphEdge& edge) { return std::abs(edge.share) < threshold; });
    return std::min(static_cast<int>(weak - edges.edges.begin()), kMostDrawn);
}

void EdgePainter::draw(QPainter& painter, int shown, int selected) const
{
    drawCells(painter);
    drawEdges(painter, shown, selected);
    drawParts(painter, shown);
}

// Every part that the model has, faint, and the names of the layers.
void EdgePainter::drawCells(QPainter& painter) const
{
    int all = 0;
    for (const int cells : m_edges.cells)
        all += cells;
    const double line = painter.fontMetrics().height();
    double below = -line; // names keep clear of each other
    for (int row = 0; row < static_cast<int>(m_edges.rows.size()); ++row) {
        const QRectF first = m_layout.cell(row, 0);
        if (const double middle = first.center().y(); middle - line / 2 > below) {
            painter.setPen(m_theme.muted);
            painter.drawText(QRectF(0, middle - line / 2, kRowNames, line), Qt::AlignVCenter | Qt::AlignLeft,
                             m_edges.rows.at(row));
            below = m_edges.rows.at(row).isEmpty() ? below : middle + line / 2;
        }
        painter.setPen(m_theme.faint);
        painter.setBrush(Qt::NoBrush);
        for (int column = 0; all <= kMostCells && column < m_edges.cells[static_cast<std::size_t>(row)]; ++column)
            painter.drawRect(m_layout.cell(row, column));
    }
}

void EdgePainter::drawEdge(QPainter& painter, const GraphEdge& edge, bool chosen) const
{
    const QPainterPath path = m_layout.path(edge);
    if (chosen)
        painter.strokePath(path, QPen(m_theme.crosshair, penOf(edge.share) + 4));
    QColor ink = edge.share < 0 ? m_theme.bad : sideColor(m_theme, m_side);
    ink.setAlphaF(chosen ? 1.0F : 0.75F);
    painter.strokePath(path, QPen(ink, penOf(edge.share), edge.share < 0 ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
}

// The strongest last, on top; the chosen one above all.
void EdgePainter::drawEdges(QPainter& painter, int shown, int selected) const
{
    painter.setBrush(Qt::NoBrush);
    for (int i = shown - 1; i >= 0; --i)
        drawEdge(painter, m_edges.edges[static_cast<std::size_t>(i)], false);
    if (selected >= 0 && selected < static_cast<int>(m_edges.edges.size()))
        drawEdge(painter, m_edges.edges[static_cast<std::size_t>(selected)], true);
    drawDoors(painter, shown);
}

void EdgePainter::drawDoors(QPainter& painter, int shown) const
{
    const double line = painter.fontMetrics().height();
    for (int i = shown - 1; i >= 0; --i) {
        const GraphEdge& edge = m_edges.edges[static_cast<std::size_t>(i)];
        if (edge.through.isEmpty() || m_layout.part(edge.to).height() < line / 2) // no room for letters
            continue;
        QRectF letters = painter.fontMetrics().boundingRect(edge.through).adjusted(-2, 0, 2, 0);
        letters.moveCenter(m_layout.door(edge) - QPointF(0, line * 0.75));
        painter.fillRect(letters, m_theme.base);
        painter.setPen(m_theme.text);
        painter.drawText(letters, Qt::AlignCenter, edge.through);
    }
}

void EdgePainter::drawParts(QPainter& painter, int shown) const
{
    std::vector<int> named; // in the order in which they get room for a name
    if (m_edges.asked >= 0)
        named.push_back(m_edges.asked);
    for (int i = 0; i < shown; ++i)
        for (const int part :
             {m_edges.edges[static_cast<std::size_t>(i)].from, m_edges.edges[static_cast<std::size_t>(i)].to})
            if (std::ranges::find(named, part) == named.end())
                named.push_back(part);
    std::vector<QRectF> taken;
    for (const int part : named) {
        const QRectF cell = m_layout.part(part);
        const QString& name = m_edges.parts[static_cast<std::size_t>(part)].name;
        const bool asked = part == m_edges.asked;
        QRectF label = painter.fontMetrics().boundingRect(name);
        label.setWidth(label.width() + 4);
        label.moveCenter(cell.center());
        const bool room =
            std::ranges::none_of(taken, [&label](const QRectF& other) { return other.intersects(label); });
        painter.setPen(QPen(asked ? m_theme.text : sideColor(m_theme, m_side), asked ? 2 : 1));
        painter.setBrush(m_theme.base);
        painter.drawRoundedRect(room ? cell.united(label.adjusted(-1, 1, 1, -1)) : cell, 3, 3); // around its name
        if (!room)
            continue;
        taken.push_back(label);
        painter.setPen(m_theme.text);
        painter.drawText(label, Qt::AlignCenter, name);
    }
}

} // namespace headscope::widgets
