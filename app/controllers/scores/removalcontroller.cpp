// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/scores/removalcontroller.h"

#include "app/controllers/models/jobids.h"
#include "app/present/heads/headmarks.h"
#include "app/present/heads/sidenames.h"
#include "app/present/scores/tasknames.h"
#include "app/state/modelheads.h"

#include <algorithm>
#include <numeric>

namespace headscope::gui {

namespace {

constexpr int kDraws = 5; // of random heads
constexpr std::size_t kMostHeads = 16;

} // namespace

RemovalController::RemovalController(WindowState& state, app::Door& door, widgets::RankingChart& chart,
                                     widgets::RunsView& jobs, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_chart(chart), m_jobs(jobs)
{
    door.on<app::RemovalRequest>(this, [this](Side side, const auto& curve) {
        m_curves[indexOf(side)] = curve;
        show();
    });
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_curves[indexOf(side)].reset();
        show();
    });
    connectJobs();
}

void RemovalController::connectJobs()
{
    connect(&m_door, &app::Door::progressed, this,
            [this](const app::Lane& lane, const QString&, qint64 done, qint64 total) {
                if (!lane.is<app::RemovalRequest>())
                    return;
                const double seconds = static_cast<double>(m_clock.elapsed()) / 1000;
                m_jobs.setJob({.id = jobId(Job::Removal, lane.side),
                               .name = tr("Ablate the top k heads of %1, and k random ones").arg(letterOf(lane.side)),
                               .done = done,
                               .total = total,
                               .perSecond = seconds > 0 ? static_cast<double>(done) / seconds : 0,
                               .unit = tr("scores")});
            });
    const auto ends = [this](const app::Lane& lane) {
        if (lane.is<app::RemovalRequest>())
            m_jobs.removeJob(jobId(Job::Removal, lane.side));
    };
    connect(&m_door, &app::Door::finished, this, ends);
    connect(&m_door, &app::Door::cancelled, this, ends);
    connect(&m_door, &app::Door::failed, this, ends);
    connect(&m_jobs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        if (const auto side = sideOfJob(Job::Removal, id))
            m_door.stop<app::RemovalRequest>(*side);
    });
}

void RemovalController::start()
{
    bool any = false;
    m_clock.start();
    for (const Side side : kSides) {
        const SideState& now = m_state.side(side);
        if (!now.model || !now.effects || now.effects->empty())
            continue;
        std::vector<interventions::HeadRef> order = costliestFirst(*now.effects);
        order.resize(std::min(order.size(), kMostHeads));
        m_door.ask(app::RemovalRequest{side, retrievalTask(*now.model), rankLimit(*now.model), order, kDraws});
        any = true;
    }
    if (!any)
        m_state.notify({.text = tr("Rank the heads first: Run > Rank all heads (F5).")});
}

void RemovalController::show()
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
    m_chart.setRanking(task.isEmpty() ? tr("Heads ablated") : tr("%1 with k heads ablated").arg(task),
                       tr("heads ablated, k"), tr("accuracy"), curves);
}

} // namespace headscope::gui
