// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A chart as a picture or as numbers in a file. GUI thread.

#include "core/base/result.h"

#include <QString>

namespace headscope::widgets {

class ThemedChart;

/// The lines as CSV: x, then a column a line; cells without a point are empty.
[[nodiscard]] QString chartCsv(const ThemedChart& chart);
/// By the suffix of the path: .svg and .pdf with real text, .png at twice the size on the screen, .csv the numbers.
/// Fails for any other suffix and when the file cannot be written.
[[nodiscard]] Result<void> writeChart(ThemedChart& chart, const QString& path);

} // namespace headscope::widgets
