// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/sweepchart.h"

#include <algorithm>

namespace headscope::widgets {

SweepChart::SweepChart(QWidget* parent) : ThemedChart(parent)
{
    setTitles(tr("Knockout by layer"), tr("middle layer of the window"), tr("logit difference"));
    setIntegerX(true);
    setEmptyText(tr("In which layers do these tokens have to read those? Choose both spans above and press Sweep."));
    setWhatsThis(tr("The lead of the answer while the first tokens do not read the second in the layers of a window, "
                    "against the window's middle layer (Geva et al. 2023). Dotted: nothing is knocked out."));
}

void SweepChart::setSweep(const std::vector<ChartLine>& sides, double whole, int layers)
{
    std::vector<ChartLine> lines = sides;
    if (!sides.empty())
        lines.push_back({tr("nothing knocked out"),
                         {QPointF(0, whole), QPointF(layers - 1, whole)},
                         Side::A,
                         ChartLine::Style::Dotted,
                         false});
    double low = std::min(0.0, whole), high = std::max(0.0, whole);
    for (const ChartLine& line : lines)
        for (const QPointF& point : line.points) {
            low = std::min(low, point.y());
            high = std::max(high, point.y());
        }
    const double pad = std::max(0.05, 0.05 * (high - low));
    setLines(std::move(lines));
    setRanges(-0.2, layers - 0.8, low - pad, high + pad);
}

} // namespace headscope::widgets
