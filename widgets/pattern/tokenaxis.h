// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places the labels of a token axis, and selects the tokens to label if there is no room for all. Pure functions; any
// thread.

#include <functional>
#include <vector>

namespace headscope::widgets {

/// A range of pixels that shows cells of one axis: cell i covers [origin + i * cell, origin + (i + 1) * cell).
struct AxisSpan {
    double origin = 0; ///< left edge of cell 0 in pixels; may be outside the visible part
    double cell = 1;   ///< pixels per cell, > 0
    int count = 0;     ///< cells
    double begin = 0;  ///< visible pixels [begin, end)
    double end = 0;
};

struct AxisLabel {
    int token = 0;
    double centre = 0; ///< pixel of the middle of the cell
};

/// Returns labels in ascending order whose centres are at least `spacing` pixels apart. Tokens are chosen at a constant
/// stride counted from token 0, so that labels do not jump while the map is panned. `pinned` (the cell under the
/// crosshair, the locked row; -1: none) is always labelled if visible; neighbours too close to it are left out.
[[nodiscard]] std::vector<AxisLabel> placeLabels(const AxisSpan& span, double spacing, int pinned = -1);

/// The tokens to label first if there is no room for all.
struct LabelChoice {
    std::vector<int> always; ///< labelled in this order of priority; indexes outside the tokens are skipped
    std::vector<int> rather; ///< labelled if there is room, earlier ones first
    std::function<bool(int token)> never; ///< tokens without a label of their own (line ends, commas); empty: none
};

/// Returns labels in ascending order whose centres are at least `spacing` pixels apart: those of `choice`, then others
/// at a constant stride. The choice depends only on the cell width, so labels do not jump while the map is panned.
[[nodiscard]] std::vector<AxisLabel> placeLabels(const AxisSpan& span, double spacing, const LabelChoice& choice);

/// Returns marks at round numbers (1, 2, 5 times a power of ten) at least `spacing` pixels apart, for long prompts.
[[nodiscard]] std::vector<AxisLabel> placeNumbers(const AxisSpan& span, double spacing);

} // namespace headscope::widgets
