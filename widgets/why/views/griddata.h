// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers in rows and columns as a picture shows them: the one value that every page with a grid fills. Any thread.

#include "core/base/side.h"
#include "widgets/why/views/numbertable.h"

#include <QString>

#include <functional>
#include <limits>
#include <vector>

namespace headscope::widgets {

/// A row or a column.
struct GridLine {
    QString name;        ///< "L2", "X3", a token
    QString words;       ///< on hover and for screen readers; empty: the name
    int id = -1;         ///< what the page knows it by: an expert; -1: nothing
    bool strong = false; ///< emphasised
    bool off = false;    ///< ablated: crossed out
    int count = -1;      ///< of columns: a number and a bar below the name; -1: neither
    double share = 0;    ///< the bar's height in [0, 1]
};

struct GridCell {
    enum Mark {
        None = 0,
        Framed = 1,  ///< stands out
        Dashed = 2,  ///< stood out before
        Hatched = 4, ///< goes the other way
        Off = 8,     ///< ablated
        Plain = 16   ///< grey: not one of those that are compared
    };

    double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is no such part
    float strength = std::numeric_limits<float>::quiet_NaN(); ///< in [0, 1]: where on the scale; NaN: not on it
    int marks = 0;                                            ///< of Mark
};

enum class GridScale {
    Sequential,
    Signed, ///< 0.5 is zero
    SideA,  ///< the side's colour, as strong as the value
    SideB
};

struct GridData {
    QString corner; ///< what rows are: "layer", "token"
    std::vector<GridLine> rows, columns;
    std::vector<GridCell> cells; ///< row by row
    GridScale scale = GridScale::Sequential;
    int letters = 0;      ///< that a cell has to show unzoomed; 0: all columns fit the page where they can
    bool sparse = false;  ///< a cell without a number is left empty
    bool fromEnd = false; ///< the last column is what is asked about
    QString of;           ///< its source, appended to copied text
    /// What is in a cell; unset: its number with two digits.
    std::function<QString(int row, int column)> text;
    /// All that is known of a cell, on hover and for screen readers.
    std::function<QString(int row, int column)> words;

    [[nodiscard]] std::size_t at(int row, int column) const
    {
        return static_cast<std::size_t>(row) * columns.size() + static_cast<std::size_t>(column);
    }
    [[nodiscard]] const GridCell& cell(int row, int column) const { return cells[at(row, column)]; }
    [[nodiscard]] QString cellText(int row, int column) const;
    [[nodiscard]] Numbers numbers() const;
};

/// The scale of a side.
[[nodiscard]] inline GridScale gridScale(Side side)
{
    return side == Side::A ? GridScale::SideA : GridScale::SideB;
}
/// Returns the side of such a scale.
[[nodiscard]] inline Side sideOf(GridScale scale)
{
    return scale == GridScale::SideB ? Side::B : Side::A;
}

} // namespace headscope::widgets
