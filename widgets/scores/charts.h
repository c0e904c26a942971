// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two charts: KV accuracy against dictionary size, and a ranking of heads. GUI thread.

#include "widgets/scores/themedchart.h"

namespace headscope::widgets {

/// Accuracy of one model in one state, at each dictionary size.
struct KvCurve {
    QString name; ///< "A baseline", "A, L2H5 off"
    Side side = Side::A;
    bool ablated = false;        ///< dashed
    std::vector<QPointF> points; ///< (pairs in the dictionary, accuracy)
    std::vector<QPointF> bounds; ///< (low, high) of the 95 % interval of each accuracy; empty: not drawn
    std::vector<int> counts;     ///< examples behind each accuracy
};

class KvChart : public ThemedChart
{
    Q_OBJECT
public:
    explicit KvChart(QWidget* parent = nullptr);
    /// Sets the curves. `chance`: accuracy of guessing among the values, dotted; one line per task.
    void setCurves(const std::vector<KvCurve>& curves, const std::vector<KvCurve>& chance);
};

/// One score per head, or the score while the best heads are ablated one after the other.
struct RankingCurve {
    QString name; ///< "top k of the ranking", "k random heads"
    Side side = Side::A;
    bool control = false;        ///< dotted: random heads
    std::vector<QPointF> points; ///< (rank or number of ablated heads, score)
};

class RankingChart : public ThemedChart
{
    Q_OBJECT
public:
    explicit RankingChart(QWidget* parent = nullptr);
    void setRanking(const QString& title, const QString& xTitle, const QString& yTitle,
                    const std::vector<RankingCurve>& curves);
};

} // namespace headscope::widgets
