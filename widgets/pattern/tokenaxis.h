// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the labels of a token axis go: which tokens are named when there is no room for all. Pure functions; any
// thread.

#include <functional>
#include <vector>

namespace headscope::widgets {

/// A stretch of pixels that shows cells of one axis: cell i covers [origin + i * cell, origin + (i + 1) * cell).
struct AxisSpan {
    double origin = 0; ///< pixel of the left edge of cell 0; may lie outside the visible part
    double cell = 1;   ///< pixels per cell, > 0
    int count = 0;     ///< cells
    double begin = 0;  ///< visible pixels [begin, end)
    double end = 0;
};

struct AxisLabel {
    int token = 0;
    double centre = 0; ///< pixel of the middle of the cell
};

/// Labels in rising order whose middles are at least `spacing` pixels apart. Tokens are taken at a constant stride that
/// is counted from token 0, so that labels do not jump while the map is panned. `pinned` (the cell under the crosshair,
/// the locked row; -1: none) is always named when visible; neighbours too close to it give way.
[[nodiscard]] std::vector<AxisLabel> placeLabels(const AxisSpan& span, double spacing, int pinned = -1);

/// What is named first where there is no room for all.
struct LabelChoice {
    std::vector<int> always; ///< nothing takes the place of one but an earlier one; what is not a token is passed over
    std::vector<int> rather; ///< these where there is room, the earlier first
    std::function<bool(int token)> never; ///< not worth a place of its own (line ends, commas); empty: all are
};

/// Labels in rising order whose middles are at least `spacing` pixels apart: those of `choice`, then others at a
/// constant stride. Which ones depends on the width of a cell alone, so labels do not jump while the map is panned.
[[nodiscard]] std::vector<AxisLabel> placeLabels(const AxisSpan& span, double spacing, const LabelChoice& choice);

/// Marks at round token numbers (1, 2, 5 times a power of ten) at least `spacing` pixels apart, for very long prompts.
[[nodiscard]] std::vector<AxisLabel> placeNumbers(const AxisSpan& span, double spacing);

} // namespace headscope::widgets
