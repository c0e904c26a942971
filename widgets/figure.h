// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a figure for a paper or a talk consists of, as plain values. Any thread.

#include "widgets/patterndata.h"
#include "widgets/patternscale.h"
#include "widgets/rowprofile.h"
#include "widgets/theme.h"

#include <variant>

namespace headscope::widgets {

struct FigureStyle {
    double widthMm = 120;    ///< paper width of the whole figure, at least 30
    double fontPt = 8;       ///< size of labels on that paper
    QString fontFamily;      ///< empty: the application's
    bool dark = false;
    bool transparent = false; ///< no background
    int dpi = 300;           ///< PNG only
};

/// One or two maps side by side.
struct PatternFigure {
    std::vector<PatternData> panels;
    ScaleOptions scale;
    int labelEvery = 0;      ///< token labels: 0 as many as fit, -1 none, k every k-th
    bool brackets = true;    ///< segments
    bool colorBar = true;
};

/// One or two rows as bars. `values` of all panels share one axis unless one is signed.
struct RowFigure {
    std::vector<std::pair<Side, RowProfile>> panels;
    int labelEvery = 0;
};

struct TableCell {
    QString text;
    enum class Tone { Plain, Good, Bad, Muted } tone = Tone::Plain;
};

/// A score table; the first column is left-aligned, all others right-aligned.
struct TableFigure {
    QStringList header;
    std::vector<std::vector<TableCell>> rows;
};

struct Figure {
    QString title;           ///< above; empty: none
    QString caption;         ///< below, wrapped
    QString provenance;      ///< model, revision, dtype, device, sample, ablation: printed small and kept in the file
    std::variant<PatternFigure, RowFigure, TableFigure> content;
};

} // namespace headscope::widgets
