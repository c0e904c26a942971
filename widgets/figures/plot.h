// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Results of an experiment with their intervals, for the window and for figures: dots by condition, lines or points
// over a quantity, or a grid. Plain values; any thread.

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace headscope::widgets {

struct PlotPoint {
    double x = 0; ///< for dots by condition the index of the condition
    double value = 0;
    std::optional<std::pair<double, double>> interval; ///< 95 %
    QString name = {}; ///< over x, if points are not joined: shown beside the mark if there is room
};

struct PlotSeries {
    enum class Tone {
        First, ///< the colours of A and B, then four more
        Second,
        Third,
        Fourth,
        Fifth,
        Sixth,
        Control, ///< grey: expected not to change
        Paper    ///< hollow marks: published results for other models
    };
    QString name;
    Tone tone = Tone::First;
    std::vector<PlotPoint> points;
};

/// One value for each pair of names.
struct PlotGrid {
    QStringList rows, columns;
    std::vector<double> values; ///< row by row; NaN: none
    QStringList words;          ///< one per value, written in the cells instead of the numbers; empty: the numbers
    double most = 0;            ///< value with the full colour; 0: the largest of the values
    bool hollow = false;        ///< outlined cells: the numbers of the paper
};

struct Plot {
    QString title; ///< quantity measured
    QString xTitle;
    QStringList conditions; ///< for dots, one per line; empty: over x
    std::vector<PlotSeries> series;
    std::optional<double> guessing;
    bool share = false;        ///< values from 0 to 1
    bool logarithmic = false;  ///< over x: logarithmic value axis
    bool logarithmicX = false; ///< over x: logarithmic x axis; every x is above 0
    QStringList xLabels;       ///< over x: names of x = 0, 1, 2 ... instead of numbers
    bool joined = true;        ///< over x: the points of a series are joined by a line
    bool bars = false;         ///< by condition: bars from zero, with their values, instead of marks
    QStringList remarks;       ///< over x: below the axis; lines break only between remarks
    PlotGrid grid;             ///< shown instead of all series unless empty
};

} // namespace headscope::widgets
