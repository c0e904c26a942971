// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Line charts as PDF, SVG or PNG for programs without a window: learning curves from plain numbers and texts. Main
// thread; the values are always available, the functions only if the program is built with Qt.

#include "core/base/result.h"
#include "sessions/analyses.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope::widgets {
struct ChartFigure;
}

namespace headscope::figures {

struct CurveLine {
    std::string name;
    std::vector<std::pair<double, double>> points;      ///< x and y, by ascending x
    std::vector<std::pair<double, double>> intervals{}; ///< of y, one per point; empty: none, NaN: none for this point
};

struct CurvePanel {
    std::string heading, xTitle, yTitle;
    bool share = false; ///< values from 0 to 1
    std::vector<CurveLine> lines;
};

/// Returns a stored series over training steps: its value, and the four heads with the largest final values.
[[nodiscard]] CurvePanel seriesCurves(const sessions::AnalysisRecord& series);

/// Returns the chart that a panel of a figure draws.
[[nodiscard]] widgets::ChartFigure chartOf(const CurvePanel& panel);

/// Starts Qt's offscreen platform for the call, unless an application already runs. Panels are placed side by side.
/// Fails for other suffixes and if the file cannot be written.
[[nodiscard]] Result<void> writeCurves(const std::vector<CurvePanel>& panels, const std::string& title,
                                       const std::string& provenance, const std::string& path);

} // namespace headscope::figures
