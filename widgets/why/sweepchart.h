// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A logit difference against the middle of a window of layers. GUI thread.

#include "widgets/scores/themedchart.h"

namespace headscope::widgets {

class SweepChart : public ThemedChart
{
    Q_OBJECT

public:
    explicit SweepChart(QWidget* parent = nullptr);
    /// `wholes`: of each side what it is with nothing knocked out, without marks.
    void setSweep(const std::vector<ChartLine>& sides, const std::vector<double>& wholes, int layers);
};

} // namespace headscope::widgets
