// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of an experiment with their intervals, as they are drawn in the window and in figures: dots by condition,
// lines or points over a quantity, or a grid. Plain values; any thread.

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace headscope::widgets {

struct PlotPoint {
    double x = 0; ///< of dots by condition the index of the condition
    double value = 0;
    std::optional<std::pair<double, double>> interval; ///< 95 %
    QString name = {}; ///< over x, where points are not joined: beside the mark if there is room
};

struct PlotSeries {
    enum class Tone {
        First, ///< the colours of A and B, then four more
        Second,
        Third,
        Fourth,
        Fifth,
        Sixth,
        Control, ///< grey: what is expected not to move
        Paper    ///< hollow marks: somebody else's models
    };
    QString name;
    Tone tone = Tone::First;
    std::vector<PlotPoint> points;
};

/// One number for each pair of names.
struct PlotGrid {
    QStringList rows, columns;
    std::vector<double> values; ///< row by row; NaN: none
    QStringList words;          ///< one a value, written in the cells in place of the numbers; empty: the numbers
    double most = 0;            ///< what has the full colour; 0: the largest of the values
    bool hollow = false;        ///< outlined cells: the paper's own numbers
};

struct Plot {
    QString title; ///< what was measured
    QString xTitle;
    QStringList conditions; ///< of dots, one a line; empty: over x
    std::vector<PlotSeries> series;
    std::optional<double> guessing;
    bool share = false;        ///< 0 to 1
    bool logarithmic = false;  ///< over x: values by their magnitudes
    bool logarithmicX = false; ///< over x: x by its magnitude; every x is above 0
    QStringList xLabels;       ///< over x: names of x = 0, 1, 2 ... instead of numbers
    bool joined = true;        ///< over x: points of a series by a line
    bool bars = false;         ///< by condition: bars from zero, with their numbers, instead of marks
    QStringList remarks;       ///< over x: below the axis; a line ends only between two of them
    PlotGrid grid;             ///< where it is not empty, instead of all series
};

} // namespace headscope::widgets
