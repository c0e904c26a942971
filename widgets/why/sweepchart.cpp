// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/sweepchart.h"

#include <algorithm>

namespace headscope::widgets {

SweepChart::SweepChart(QWidget* parent) : ThemedChart(parent)
{
    setTitles(tr("Knockout by layer"), tr("middle layer of the window"), tr("logit difference"));
    setIntegerX(true);
    setEmptyText(tr(
        "Choose both spans above and press Sweep to find the layers in which these tokens need to read the others."));
    setWhatsThis(tr("Logit difference with attention from the first to the second tokens blocked in a window of "
                    "layers, against the window's middle layer (Geva et al. 2023). Dotted or dashed: no "
                    "knockout."));
}

void SweepChart::setSweep(const std::vector<ChartLine>& sides, const std::vector<double>& wholes, int layers)
{
    std::vector<ChartLine> lines = sides;
    const bool one = sides.size() < 2;
    for (std::size_t i = 0; i < sides.size(); ++i)
        lines.push_back({one ? tr("no knockout") : tr("%1, intact").arg(sides[i].name),
                         {QPointF(0, wholes[i]), QPointF(layers - 1, wholes[i])},
                         sides[i].side,
                         one ? ChartLine::Style::Dotted : ChartLine::Style::Dashed,
                         false});
    double low = 0, high = 0;
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
