// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is drawn around and over the cells of a map. GUI thread.

#include "widgets/look/theme.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patterngeometry.h"

class QPainter;

namespace headscope::widgets {

constexpr double kStrip = 6; ///< bracket strip above and left of a map, in pixels
constexpr double kStripGap = 2;
constexpr double kLabelGap = 3;

/// The prompt's spans, in the strips.
void paintSegments(QPainter& painter, const PatternData& data, const PatternGeometry& geometry);

/// Which rows have their names.
struct NamedRows {
    int shown = -1;     ///< in bold
    int profile = -1;   ///< the row whose numbers are below the map
    int strongest = -1; ///< what that one reads most
    double room = 0;    ///< width of the names
    double height = 0;  ///< of all there is to draw in
    Theme theme;
};
void paintRowNames(QPainter& painter, const PatternData& data, const PatternGeometry& geometry, const NamedRows& rows);

/// What a person points at.
struct PointedCells {
    int boxedRow = -1;
    int row = -1, col = -1; ///< the crosshair
    QRectF region;          ///< that is being marked; empty: none
    Side side = Side::A;
    Theme theme;
};
void paintPointed(QPainter& painter, const PatternGeometry& geometry, const PointedCells& cells);

/// "ablated", in the map's corner; a cross where there is no room for it. Nothing for no words.
void paintNotice(QPainter& painter, const QString& notice, const QRectF& plot, const Theme& theme);

} // namespace headscope::widgets
