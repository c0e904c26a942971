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

qint64 jobOf(Slot slot)
{
    return kFirstJob + (slot == Slot::A ? 0 : 1);
}

QString letterOf(Slot slot)
{
    return slot == Slot::A ? QStringLiteral("A") : QStringLiteral("B");
}

} // namespace

HeadRemoval::HeadRemoval(Explorer& explorer, BackendClient& client, const Parts& parts, QObject* parent)
    : QObject(parent), m_explorer(explorer), m_client(client), m_parts(parts)
{
    connect(&client, &BackendClient::removalCurveReady, this, [this](Slot slot, const auto& curve) {
        m_curves[slot == Slot::A ? 0 : 1] = curve;
        show();
    });
    connect(&client, &BackendClient::modelOpened, this, &HeadRemoval::forget);
    connect(&client, &BackendClient::progressed, this,
            [this](Kind kind, Slot slot, const QString&, qint64 done, qint64 total) {
                if (kind != Kind::Removal)
                    return;
                const double seconds = static_cast<double>(m_clock.elapsed()) / 1000;
                m_parts.runs->setJob({.id = jobOf(slot),
                                      .name = tr("Remove the top k heads of %1, and k random ones").arg(letterOf(slot)),
                                      .done = done,
                                      .total = total,
                                      .perSecond = seconds > 0 ? static_cast<double>(done) / seconds : 0,
                                      .unit = tr("scores")});
            });
    const auto ends = [this](Kind kind, Slot slot) {
        if (kind == Kind::Removal)
            m_parts.runs->removeJob(jobOf(slot));
    };
    connect(&client, &BackendClient::finished, this, ends);
    connect(&client, &BackendClient::cancelled, this, ends);
    connect(&client, &BackendClient::failed, this, ends);
    connect(parts.runs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        if (id >= kFirstJob)
            m_client.stop(Kind::Removal, id == kFirstJob ? Slot::A : Slot::B);
    });
}

void HeadRemoval::start()
{
    bool any = false;
    m_clock.start();
    for (const Slot slot : {Slot::A, Slot::B}) {
        const QStringList ranking = m_explorer.ranking(slot);
        if (ranking.isEmpty())
            continue;
        m_client.requestRemovalCurve(slot, m_explorer.rankTask(slot), kExamples,
                                     ranking.mid(0, std::min<qsizetype>(ranking.size(), 16)), kDraws);
        any = true;
    }
    if (!any)
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                      tr("The heads have to be ranked first: Run > Rank all heads (F5)."));
}

void HeadRemoval::forget(Slot slot)
{
    m_curves[slot == Slot::A ? 0 : 1].reset();
    show();
}

void HeadRemoval::show()
{
    std::vector<widgets::RankingCurve> curves;
    QString task;
    for (const Slot slot : {Slot::A, Slot::B}) {
        const auto& reply = m_curves[slot == Slot::A ? 0 : 1];
        if (!reply)
            continue;
        const widgets::Side side = slot == Slot::A ? widgets::Side::A : widgets::Side::B;
        widgets::RankingCurve top{
            .name = tr("%1, top k").arg(letterOf(slot)), .side = side, .control = false, .points = {}};
        widgets::RankingCurve random{.name = tr("%1, k random (mean of %2)").arg(letterOf(slot)).arg(reply->draws),
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
