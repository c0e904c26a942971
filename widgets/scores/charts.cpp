// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/charts.h"

#include <algorithm>
#include <limits>

namespace headscope::widgets {

namespace {

struct Extent {
    double xLow = std::numeric_limits<double>::infinity();
    double xHigh = -std::numeric_limits<double>::infinity();
    double yLow = std::numeric_limits<double>::infinity();
    double yHigh = -std::numeric_limits<double>::infinity();
    void add(const std::vector<QPointF>& points)
    {
        for (const QPointF& p : points) {
            xLow = std::min(xLow, p.x());
            xHigh = std::max(xHigh, p.x());
            yLow = std::min(yLow, p.y());
            yHigh = std::max(yHigh, p.y());
        }
    }
    [[nodiscard]] bool empty() const { return xLow > xHigh; }
};

} // namespace

KvChart::KvChart(QWidget* parent) : ThemedChart(parent)
{
    setTitles(tr("KV retrieval against dictionary size"), tr("pairs in the dictionary"), tr("accuracy"));
    setIntegerX(true);
    setRanges(0, 32, 0, 1.02);
    setEmptyText(tr("Accuracy of KV retrieval as the dictionary grows. Measured after the scores."));
    setWhatsThis(
        tr("Accuracy of KV retrieval as the dictionary in the prompt grows. Solid: all heads on; "
           "dashed: with heads ablated; dotted: guessing, if a task has options. Bars: 95 % intervals (Wilson). "
           "Click a name below to hide its line."));
}

void KvChart::setCurves(const std::vector<KvCurve>& curves, const std::vector<KvCurve>& chance)
{
    std::vector<ChartLine> lines;
    Extent extent;
    std::vector<int> counts;
    for (const KvCurve& curve : curves) {
        lines.push_back({curve.name, curve.points, curve.side,
                         curve.ablated ? ChartLine::Style::Dashed : ChartLine::Style::Solid, true, curve.bounds});
        extent.add(curve.points);
        counts.insert(counts.end(), curve.counts.begin(), curve.counts.end());
    }
    std::sort(counts.begin(), counts.end());
    const QString size = tr("pairs in the dictionary");
    const QString n = counts.empty()
                          ? QString()
                          : (counts.front() == counts.back() ? QStringLiteral(" · n = ") : QStringLiteral(" · n ≥ "))
                                + QString::number(counts.front());
    setTitles(chartTitle(), size + n, tr("accuracy"));
    for (const KvCurve& line : chance) {
        lines.push_back({line.name, line.points, line.side, ChartLine::Style::Dotted, false});
        extent.add(line.points);
    }
    setLines(std::move(lines));
    if (!extent.empty()) {
        const double pad = 0.03 * std::max(1.0, extent.xHigh - extent.xLow);
        setRanges(std::max(0.0, extent.xLow - pad), extent.xHigh + pad, 0, 1.03);
    }
}

RankingChart::RankingChart(QWidget* parent) : ThemedChart(parent)
{
    setTitles(tr("Heads ablated"), tr("heads ablated, k"), tr("accuracy"));
    setIntegerX(true);
    setEmptyText(tr("Cost of the first k heads of the ranking together, beside k random heads. Press F6 to measure."));
    setWhatsThis(tr("The score with the first k heads of the ranking ablated, beside the mean over k random "
                    "heads. A meaningful ranking falls long before random heads do. Click a name below to hide "
                    "its line, right-click to save."));
}

void RankingChart::setRanking(const QString& title, const QString& xTitle, const QString& yTitle,
                              const std::vector<RankingCurve>& curves)
{
    setTitles(title, xTitle, yTitle);
    std::vector<ChartLine> lines;
    Extent extent;
    for (const RankingCurve& curve : curves) {
        lines.push_back({curve.name, curve.points, curve.side,
                         curve.control ? ChartLine::Style::Dotted : ChartLine::Style::Solid, true});
        extent.add(curve.points);
    }
    setLines(std::move(lines));
    if (!extent.empty()) {
        const double low = std::min(0.0, extent.yLow);
        const double pad = 0.04 * std::max(1e-9, extent.yHigh - low);
        setRanges(std::max(0.0, extent.xLow - 0.5), extent.xHigh + 0.5, low < 0 ? low - pad : 0, extent.yHigh + pad);
    }
}

} // namespace headscope::widgets
