// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logit difference against the centre of a window of layers. GUI thread.

#include "widgets/scores/themedchart.h"

namespace headscope::widgets {

class SweepChart : public ThemedChart
{
    Q_OBJECT

public:
    explicit SweepChart(QWidget* parent = nullptr);
    /// Sets the curves. `wholes`: for each side the value with nothing knocked out, drawn without marks.
    void setSweep(const std::vector<ChartLine>& sides, const std::vector<double>& wholes, int layers);
};

} // namespace headscope::widgets
