// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lines over a quantity as PDF, SVG or PNG for programs without a window: learning curves. Numbers and words go in, a
// file comes out. Main thread; the values are always there, the functions only where the program is built with Qt.

#include "core/base/result.h"
#include "sessions/analysisrecords.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope::widgets {
struct ChartFigure;
}

namespace headscope::figures {

struct CurveLine {
    std::string name;
    std::vector<std::pair<double, double>> points;      ///< x and y, in the order of x
    std::vector<std::pair<double, double>> intervals{}; ///< of y, one a point; empty: none, NaN: of this one none
};

struct CurvePanel {
    std::string heading, xTitle, yTitle;
    bool share = false; ///< y runs from 0 to 1
    std::vector<CurveLine> lines;
};

/// A stored series over the training steps: its number, and the four heads that are largest at the end.
[[nodiscard]] CurvePanel seriesCurves(const sessions::AnalysisRecord& series);

/// As a panel of a figure draws it.
[[nodiscard]] widgets::ChartFigure chartOf(const CurvePanel& panel);

/// Starts Qt's offscreen platform for the call, unless an application runs already. Panels are beside each other.
/// Fails for another suffix and where the file cannot be written.
[[nodiscard]] Result<void> writeCurves(const std::vector<CurvePanel>& panels, const std::string& title,
                                       const std::string& provenance, const std::string& path);

} // namespace headscope::figures
