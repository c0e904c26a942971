// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/kvcurves.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "core/analysis/statistics.h"

#include <QCoreApplication>

#include <cmath>

namespace headscope::gui {

namespace {

constexpr int kMostOnLine = 1; // named in the name of a line

struct KvCurveNames {
    Q_DECLARE_TR_FUNCTIONS(KvCurveNames)
};

QString stateOf(const app::ScoreReply& curve, const app::ModelSummary* model)
{
    const QString heads = ablatedHeads(curve.ablation, kMostOnLine, model);
    return heads.isEmpty() ? KvCurveNames::tr("ablated") : QStringLiteral("− ") + heads;
}

} // namespace

KvCurves kvCurves(const SideState& a, const SideState& b)
{
    KvCurves curves;
    const bool several = a.model && a.curve && b.model && b.curve && a.model->kvTask != b.model->kvTask;
    for (const Side side : kSides) {
        const SideState& now = side == Side::A ? a : b;
        if (!now.model || !now.curve)
            continue;
        const QString task = QString::fromStdString(now.model->kvTask);
        const auto named = [&](const QString& name) {
            return several ? KvCurveNames::tr("%1 on %2").arg(name, task) : name;
        };
        widgets::KvCurve before{.name = named(letterOf(side)), .side = side};
        widgets::KvCurve after{
            .name = named(QStringLiteral("%1 %2").arg(letterOf(side), stateOf(*now.curve, now.model.get()))),
            .side = side,
            .ablated = true};
        widgets::KvCurve chance{.name = named(KvCurveNames::tr("guessing")), .side = side};
        for (std::size_t i = 0; i < now.curve->lines.size() && i < now.model->kvSizes.size(); ++i) {
            const app::BenchmarkScore& line = now.curve->lines[i];
            if (!line.hasBaseline)
                continue;
            for (auto& [curve, accuracy] : {std::pair(&before, line.baseline), std::pair(&after, line.now)}) {
                const analysis::Interval interval = analysis::wilsonInterval(std::llround(accuracy * line.n), line.n);
                curve->points.emplace_back(now.model->kvSizes[i], accuracy);
                curve->bounds.emplace_back(interval.low, interval.high);
                curve->counts.push_back(line.n);
            }
            if (line.chance > 0)
                chance.points.emplace_back(now.model->kvSizes[i], line.chance);
        }
        if (!chance.points.empty() && (several || curves.chance.empty()))
            curves.chance.push_back(chance);
        curves.lines.push_back(before);
        if (!now.curve->ablation.empty())
            curves.lines.push_back(after);
    }
    return curves;
}

} // namespace headscope::gui
