// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurelayout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace headscope::widgets {

namespace {

constexpr int kGrid = 12;
constexpr int kLeastBeside = 3;    // columns of a part beside others
constexpr int kLeastAlone = 6;     // of one in a row of its own
constexpr double kMostAlone = 0.6; // its height, of the width of the page
constexpr double kWaste = 0.5;     // cost of empty space relative to used space
constexpr double kUneven = 0.01;   // of the height, for each column by which parts of a row differ
constexpr double kAligned = 1.1;   // factor by which rows may grow so that their parts align
constexpr double kNever = std::numeric_limits<double>::infinity();

} // namespace

FigureLayout::FigureLayout(std::vector<Part> parts, const Page& page)
    : m_parts(std::move(parts)), m_page(page), m_heights(m_parts.size(), std::vector<double>(kGrid + 1, -1))
{
    std::vector<Row> rows = rowsFrom(0);
    align(rows);
    double y = 0;
    for (const Row& row : rows) {
        double x = 0, tallest = 0;
        for (std::size_t i = 0; i < row.columns.size(); ++i) {
            const double width = widthOf(row.columns[i]), height = heightOf(row.first + i, row.columns[i]);
            m_places.emplace_back(x, y, width, height);
            x += width + m_page.between;
            tallest = std::max(tallest, height);
        }
        m_height = y + tallest;
        y = m_height + m_page.below;
    }
}

double FigureLayout::widthOf(int columns) const
{
    return (m_page.width + m_page.between) * columns / kGrid - m_page.between;
}

double FigureLayout::heightOf(std::size_t part, int columns)
{
    double& height = m_heights[part][static_cast<std::size_t>(columns)];
    if (height < 0)
        height = m_parts[part].height(widthOf(columns));
    return height;
}

// As wide as the page, or as it may be to be no higher than it should; else as low as it can be.
std::vector<int> FigureLayout::alone(const std::vector<std::size_t>& parts, double& cost)
{
    int best = kGrid;
    cost = kNever;
    for (int columns = kGrid; columns >= kLeastAlone; --columns) {
        double tallest = 0, sum = 0;
        for (const std::size_t part : parts) {
            tallest = std::max(tallest, heightOf(part, columns));
            sum += heightOf(part, columns) * (1 + kWaste * (kGrid - columns) / kGrid);
        }
        if (sum < cost) {
            cost = sum;
            best = columns;
        }
        if (tallest <= kMostAlone * m_page.width) {
            cost = sum;
            return {columns};
        }
    }
    return {best};
}

// How `count` parts share the grid in each of the rows that begin with `firsts`, so that these are low.
std::vector<int> FigureLayout::shared(const std::vector<std::size_t>& firsts, std::size_t count, double& cost)
{
    if (count == 1)
        return alone(firsts, cost);
    std::vector<int> best, columns(count);
    cost = kNever;
    const auto costOf = [&](std::size_t first) {
        double tallest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (m_page.perRow == 0 && widthOf(columns[i]) < m_parts[first + i].narrowest)
                return kNever;
            tallest = std::max(tallest, heightOf(first + i, columns[i]));
        }
        double empty = 0;
        for (std::size_t i = 0; i < count; ++i)
            empty += (tallest - heightOf(first + i, columns[i])) * columns[i] / kGrid;
        const auto [low, high] = std::minmax_element(columns.begin(), columns.end());
        return tallest * (1 + kUneven * (*high - *low)) + kWaste * empty;
    };
    const auto share = [&](const auto& self, std::size_t at, int left) -> void {
        if (at < count) {
            const int others = kLeastBeside * static_cast<int>(count - at - 1);
            const int least = others == 0 ? left : kLeastBeside;
            for (columns[at] = left - others; columns[at] >= least; --columns[at])
                self(self, at + 1, left - columns[at]);
            return;
        }
        const double sum = std::accumulate(firsts.begin(), firsts.end(), 0.0,
                                           [&](double all, std::size_t first) { return all + costOf(first); });
        if (sum < cost || best.empty()) {
            cost = sum;
            best = columns;
        }
    };
    share(share, 0, kGrid);
    return best;
}

std::vector<FigureLayout::Row> FigureLayout::rowsFrom(std::size_t first)
{
    std::vector<Row> best;
    const std::size_t left = m_parts.size() - first;
    if (left == 0)
        return best;
    const auto all = static_cast<std::size_t>(m_page.perRow > 0     ? std::min(m_page.perRow, kGrid / kLeastBeside)
                                              : m_parts.size() == 3 ? 3
                                                                    : 2);
    double least = kNever;
    for (std::size_t count = m_page.perRow > 0 ? std::min(all, left) : 1; count <= std::min(all, left); ++count) {
        Row row{first, {}, 0};
        row.columns = shared({first}, count, row.cost);
        const std::vector<Row> rest = rowsFrom(first + count);
        const double cost = std::accumulate(rest.begin(), rest.end(), row.cost, [this](double sum, const Row& one) {
            return sum + m_page.below + one.cost;
        });
        if (best.empty() || cost < least) {
            least = cost;
            best = {row};
            best.insert(best.end(), rest.begin(), rest.end());
        }
    }
    return best;
}

// Aligns the columns of a 2 x 2 layout if that needs little more space.
void FigureLayout::align(std::vector<Row>& rows)
{
    if (rows.size() < 2 || !std::ranges::all_of(rows, [&](const Row& row) {
            return row.columns.size() == rows.front().columns.size();
        }))
        return;
    std::vector<std::size_t> firsts;
    double apart = 0, together = 0;
    for (const Row& row : rows) {
        firsts.push_back(row.first);
        apart += row.cost;
    }
    const std::vector<int> columns = shared(firsts, rows.front().columns.size(), together);
    if (together <= kAligned * apart)
        for (Row& row : rows)
            row.columns = columns;
}

} // namespace headscope::widgets
