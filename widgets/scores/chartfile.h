// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes a chart to a file, as a picture or as numbers. GUI thread.

#include "core/base/result.h"

#include <QString>

namespace headscope::widgets {

class ThemedChart;

/// Returns the lines as CSV: x, then one column per line; cells without a point are empty.
[[nodiscard]] QString chartCsv(const ThemedChart& chart);
/// Writes by the suffix of the path: .svg and .pdf with real text, .png at twice the size on screen, .csv the numbers.
/// Fails for other suffixes and if the file cannot be written.
[[nodiscard]] Result<void> writeChart(ThemedChart& chart, const QString& path);

} // namespace headscope::widgets
