// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/headremoval.h"

#include "app/gui/presenters.h"

#include <algorithm>
#include <numeric>

namespace headscope::gui {

using Kind = BackendClient::Kind;

namespace {

constexpr int kExamples = 64;   // as in the ranking
constexpr int kDraws = 5;       // of random heads
constexpr qint64 kFirstJob = 2; // ids 0 and 1 are the rankings

qint64 jobOf(Side side)
{
    return kFirstJob + (side == Side::A ? 0 : 1);
}

QString letterOf(Side side)
{
    return side == Side::A ? QStringLiteral("A") : QStringLiteral("B");
}

} // namespace

HeadRemoval::HeadRemoval(Explorer& explorer, BackendClient& client, const Parts& parts, QObject* parent)
    : QObject(parent), m_explorer(explorer), m_client(client), m_parts(parts)
{
    connect(&client, &BackendClient::removalCurveReady, this, [this](Side side, const auto& curve) {
        m_curves[indexOf(side)] = curve;
        show();
    });
    connect(&client, &BackendClient::modelOpened, this, &HeadRemoval::forget);
    connect(&client, &BackendClient::progressed, this,
            [this](Kind kind, Side side, const QString&, qint64 done, qint64 total) {
                if (kind != Kind::Removal)
                    return;
                const double seconds = static_cast<double>(m_clock.elapsed()) / 1000;
                m_parts.runs->setJob({.id = jobOf(side),
                                      .name = tr("Remove the top k heads of %1, and k random ones").arg(letterOf(side)),
                                      .done = done,
                                      .total = total,
                                      .perSecond = seconds > 0 ? static_cast<double>(done) / seconds : 0,
                                      .unit = tr("scores")});
            });
    const auto ends = [this](Kind kind, Side side) {
        if (kind == Kind::Removal)
            m_parts.runs->removeJob(jobOf(side));
    };
    connect(&client, &BackendClient::finished, this, ends);
    connect(&client, &BackendClient::cancelled, this, ends);
    connect(&client, &BackendClient::failed, this, ends);
    connect(parts.runs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        if (id >= kFirstJob)
            m_client.stop(Kind::Removal, id == kFirstJob ? Side::A : Side::B);
    });
}

void HeadRemoval::start()
{
    bool any = false;
    m_clock.start();
    for (const Side side : kSides) {
        const QStringList ranking = m_explorer.ranking(side);
        if (ranking.isEmpty())
            continue;
        m_client.requestRemovalCurve(side, m_explorer.rankTask(side), kExamples,
                                     ranking.mid(0, std::min<qsizetype>(ranking.size(), 16)), kDraws);
        any = true;
    }
    if (!any)
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                      tr("The heads have to be ranked first: Run > Rank all heads (F5)."));
}

void HeadRemoval::forget(Side side)
{
    m_curves[indexOf(side)].reset();
    show();
}

void HeadRemoval::show()
{
    std::vector<widgets::RankingCurve> curves;
    QString task;
    for (const Side side : kSides) {
        const auto& reply = m_curves[indexOf(side)];
        if (!reply)
            continue;
        widgets::RankingCurve top{
            .name = tr("%1, top k").arg(letterOf(side)), .side = side, .control = false, .points = {}};
        widgets::RankingCurve random{.name = tr("%1, k random (mean of %2)").arg(letterOf(side)).arg(reply->draws),
                                     .side = side,
                                     .control = true,
                                     .points = {}};
        for (const app::RemovalPoint& point : reply->points) {
            top.points.emplace_back(point.heads, point.top);
            if (!point.random.empty())
                random.points.emplace_back(point.heads, std::accumulate(point.random.begin(), point.random.end(), 0.0)
                                                            / static_cast<double>(point.random.size()));
        }
        task = taskTitle(QString::fromStdString(reply->task));
        curves.push_back(top);
        curves.push_back(random);
    }
    m_parts.removal->setRanking(task.isEmpty() ? tr("Heads removed") : tr("%1 with k heads off").arg(task),
                                tr("heads off, k"), tr("accuracy"), curves);
}

} // namespace headscope::gui
