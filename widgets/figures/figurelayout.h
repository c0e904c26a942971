// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places the parts of a composed figure: rows on a grid of twelve columns. Plain numbers; any thread.

#include <QRectF>

#include <functional>
#include <vector>

namespace headscope::widgets {

class FigureLayout
{
public:
    struct Part {
        double narrowest = 0;                       ///< width in which it can be read
        std::function<double(double width)> height; ///< that it takes
    };
    struct Page {
        double width = 0;
        double between = 0; ///< parts of a row
        double below = 0;   ///< a row
        int perRow = 0;     ///< 0: as many as make the lowest figure, at most two, or three of three
    };

    FigureLayout(std::vector<Part> parts, const Page& page);

    /// One rectangle per part, in their order; origin (0, 0).
    [[nodiscard]] const std::vector<QRectF>& places() const { return m_places; }
    [[nodiscard]] double height() const { return m_height; }

private:
    struct Row {
        std::size_t first = 0;
        std::vector<int> columns; ///< of each part, of the grid
        double cost; ///< its height, and some more for room that is left empty and parts that differ in width
    };
    [[nodiscard]] double widthOf(int columns) const;
    [[nodiscard]] double heightOf(std::size_t part, int columns);
    [[nodiscard]] std::vector<int> shared(const std::vector<std::size_t>& firsts, std::size_t count, double& cost);
    [[nodiscard]] std::vector<int> alone(const std::vector<std::size_t>& parts, double& cost);
    [[nodiscard]] std::vector<Row> rowsFrom(std::size_t first);
    void align(std::vector<Row>& rows);

    std::vector<Part> m_parts;
    Page m_page;
    std::vector<std::vector<double>> m_heights; ///< by part and columns, as far as they are known
    std::vector<QRectF> m_places;
    double m_height = 0;
};

} // namespace headscope::widgets
