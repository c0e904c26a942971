// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figuregrids.h"

#include "widgets/look/numbertext.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kWords = 4.5;       // lines, for a word in a cell
constexpr double kWithNumbers = 2.6; // the same with numbers

} // namespace

double GridPainter::namesBeside(const PlotGrid& grid) const
{
    double widest = 0;
    for (const QString& name : grid.rows)
        widest = std::max(widest, textWidth(name));
    return widest + m_gap;
}

double GridPainter::widestCell(const PlotGrid& grid) const
{
    double widest = (grid.words.isEmpty() ? kWithNumbers : kWords) * m_line;
    for (const QString& name : grid.columns)
        widest = std::max(widest, textWidth(name) + m_gap);
    return widest;
}

double GridPainter::cellWidth(const PlotGrid& grid, double width) const
{
    return std::min((width - namesBeside(grid) - m_gap) / static_cast<double>(grid.columns.size()), widestCell(grid));
}

double GridPainter::narrowest(const PlotGrid& grid) const
{
    return namesBeside(grid) + static_cast<double>(grid.columns.size()) * widestCell(grid) + m_gap;
}

double GridPainter::draw(const Plot& plot, const QRectF& box)
{
    const PlotGrid& grid = plot.grid;
    const double gutter = namesBeside(grid), cell = cellWidth(grid, box.width());
    double widest = 0, largest = 1e-12;
    for (const QString& name : grid.columns)
        widest = std::max(widest, textWidth(name));
    for (const double value : grid.values)
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    if (grid.most > 0)
        largest = grid.most;
    const double high = std::min(cell, (grid.words.isEmpty() ? 2 : 1.25) * m_line);
    const int every = std::max(1, static_cast<int>(std::ceil((widest + m_gap * 0.5) / cell)));
    for (qsizetype r = 0; r < grid.rows.size(); ++r) {
        const double y = box.top() + static_cast<double>(r) * high;
        text(QRectF(box.left(), y, gutter - m_gap * 0.6, high), Qt::AlignRight | Qt::AlignVCenter, grid.rows[r], m_font,
             m_theme.text);
        for (qsizetype c = 0; c < grid.columns.size(); ++c) {
            const qsizetype at = r * grid.columns.size() + c;
            const double value = grid.values[static_cast<std::size_t>(at)];
            const QRectF place(box.left() + gutter + static_cast<double>(c) * cell, y, cell, high);
            if (!std::isfinite(value))
                continue;
            const double part = std::min(std::abs(value) / largest, 1.0);
            if (grid.hollow)
                outline(place.adjusted(m_thin, m_thin, -m_thin, -m_thin), 1.2 * m_thin);
            else
                fill(place.adjusted(m_thin, m_thin, -m_thin, -m_thin),
                     mixed(m_theme.base, sideColor(m_theme, value < 0 ? Side::B : Side::A), 0.65 * part));
            const QFont small = fontOf(0.8);
            const FigureMetrics metrics(small);
            const QString words = at < grid.words.size() ? metrics.elidedText(grid.words[at], Qt::ElideRight, cell)
                                                         : signedText(value, 1);
            if (metrics.horizontalAdvance(words) < cell - m_thin)
                text(place, Qt::AlignCenter, words, small, m_theme.text);
        }
    }
    const double bottom = box.top() + static_cast<double>(grid.rows.size()) * high;
    for (qsizetype c = 0; c < grid.columns.size(); c += every)
        text(QRectF(box.left() + gutter + (static_cast<double>(c) + 0.5) * cell - 1e4, bottom + m_gap * 0.3, 2e4,
                    m_line),
             Qt::AlignHCenter | Qt::AlignTop, grid.columns[c], m_font, m_theme.text);
    const double below = bottom + m_gap * 0.3 + m_line; // of the columns' names
    if (plot.xTitle.isEmpty())
        return below + m_gap - box.top();
    text(QRectF(box.left() + gutter + static_cast<double>(grid.columns.size()) * cell / 2 - 1e4, below, 2e4, m_line),
         Qt::AlignHCenter | Qt::AlignTop, plot.xTitle, m_font, m_theme.text);
    return below + m_line + m_gap - box.top();
}

} // namespace headscope::widgets
