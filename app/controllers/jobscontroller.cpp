// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/jobscontroller.h"

#include "app/controllers/jobids.h"
#include "app/controllers/worktext.h"

#include <algorithm>
#include <array>
#include <optional>

namespace headscope::gui {

namespace {

constexpr auto kLook = std::chrono::milliseconds(500);

struct Listed {
    RequestKind kind;
    Job job;
};
constexpr std::array<Listed, 12> kListed = {{{RequestKind::Scores, Job::Scores},
                                             {RequestKind::Estimate, Job::Estimate},
                                             {RequestKind::Curve, Job::Curve},
                                             {RequestKind::Metric, Job::Metric},
                                             {RequestKind::Found, Job::Found},
                                             {RequestKind::Survey, Job::Survey},
                                             {RequestKind::Patch, Job::Patch},
                                             {RequestKind::Edges, Job::Edges},
                                             {RequestKind::Weights, Job::Weights},
                                             {RequestKind::Probes, Job::Probes},
                                             {RequestKind::Sweep, Job::Sweep},
                                             {RequestKind::HeadFacts, Job::HeadFacts}}};

std::optional<Job> jobOf(RequestKind kind)
{
    const auto* found = std::ranges::find(kListed, kind, &Listed::kind);
    return found == kListed.end() ? std::nullopt : std::optional(found->job);
}

} // namespace

JobsController::JobsController(BackendClient& client, widgets::RunsView& jobs, QObject* parent,
                               std::chrono::milliseconds moment)
    : QObject(parent), m_client(client), m_view(jobs), m_moment(moment)
{
    m_look.setInterval(std::min(kLook, moment));
    connect(&m_look, &QTimer::timeout, this, &JobsController::refresh);
    const auto watch = [this](bool busy) {
        if (busy)
            m_look.start();
        else
            m_look.stop();
        refresh();
    };
    connect(&client, &BackendClient::busyChanged, this, watch);
    watch(client.busy());
    connect(&client, &BackendClient::progressed, this,
            [this](Kind kind, Side side, const QString&, qint64 done, qint64 total) {
                if (kind != Kind::Scores) // which tells benchmarks; its replies tell examples
                    progressed(kind, side, done, total);
            });
    const auto scored = [this](Side side, const auto& reply) { this->scored(side, *reply); };
    connect(&client, &BackendClient::scoresReady, this, scored);
    connect(&jobs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        for (const Listed& listed : kListed)
            if (const auto side = sideOfJob(listed.job, id))
                m_client.stop(listed.kind, *side);
    });
}

void JobsController::scored(Side side, const app::ScoreReply& reply)
{
    qint64 total = 0;
    for (const app::BenchmarkScore& line : reply.lines)
        total += line.total;
    progressed(Kind::Scores, side, reply.examples, total);
}

void JobsController::progressed(Kind kind, Side side, qint64 done, qint64 total)
{
    const auto found = m_running.find({kind, side});
    if (found == m_running.end())
        return;
    Running& running = found->second;
    if (running.shown.total == 0 || done < running.first) { // another one has taken its place
        running.first = done;
        running.clock.start();
    }
    const double seconds = static_cast<double>(running.clock.elapsed()) / 1000;
    running.shown.done = done;
    running.shown.total = total;
    running.shown.perSecond = seconds > 0 ? static_cast<double>(done - running.first) / seconds : 0;
}

void JobsController::refresh()
{
    const auto running = m_client.running();
    std::erase_if(m_running, [&](const auto& entry) {
        if (std::ranges::find(running, entry.first) != running.end())
            return false;
        m_view.removeJob(entry.second.shown.id);
        return true;
    });
    for (const Key& key : running)
        if (const auto job = jobOf(key.first)) {
            const auto [place, added] = m_running.try_emplace(key);
            Running& now = place->second;
            if (added) {
                now.shown.id = jobId(*job, key.second);
                now.shown.name = workText(key.first, key.second);
                now.clock.start();
                now.since.start();
            }
            if (now.since.hasExpired(m_moment.count()))
                m_view.setJob(now.shown);
        }
}

} // namespace headscope::gui
