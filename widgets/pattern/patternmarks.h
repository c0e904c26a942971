// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints the marks around and over the cells of a map. GUI thread.

#include "widgets/look/theme.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patterngeometry.h"

class QPainter;

namespace headscope::widgets {

constexpr double kStrip = 6; ///< bracket strip above and left of a map, in pixels
constexpr double kStripGap = 2;
constexpr double kLabelGap = 3;

/// Paints the prompt's segments in the strips.
void paintSegments(QPainter& painter, const PatternData& data, const PatternGeometry& geometry);

/// The labelled rows.
struct NamedRows {
    int shown = -1;     ///< labelled in bold
    int profile = -1;   ///< the row with its profile below the map
    int strongest = -1; ///< the token that this row reads most
    double room = 0;    ///< width of the labels
    double height = 0;  ///< height of the drawing area
    Theme theme;
};
void paintRowNames(QPainter& painter, const PatternData& data, const PatternGeometry& geometry, const NamedRows& rows);

/// The cells marked by the user.
struct PointedCells {
    int boxedRow = -1;
    int row = -1, col = -1; ///< the crosshair
    QRectF region;          ///< being marked; empty: none
    Side side = Side::A;
    Theme theme;
};
void paintPointed(QPainter& painter, const PatternGeometry& geometry, const PointedCells& cells);

/// Paints "ablated" in the corner of the map, or a cross if there is no room; nothing for an empty text.
void paintNotice(QPainter& painter, const QString& notice, const QRectF& plot, const Theme& theme);

} // namespace headscope::widgets
