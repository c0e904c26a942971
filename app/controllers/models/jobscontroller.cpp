// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/models/jobscontroller.h"

#include "app/controllers/models/jobids.h"
#include "app/controllers/why/worktext.h"

#include <algorithm>
#include <optional>
#include <typeindex>
#include <vector>

namespace headscope::gui {

namespace {

constexpr auto kLook = std::chrono::milliseconds(500);

struct Listed {
    std::type_index request;
    Job job;
};

const std::vector<Listed>& listedJobs()
{
    static const std::vector<Listed> all = {{typeid(app::ScoresRequest), Job::Scores},
                                            {typeid(app::EstimateRequest), Job::Estimate},
                                            {typeid(app::PromptEffectsRequest), Job::PromptEffects},
                                            {typeid(app::CurveRequest), Job::Curve},
                                            {typeid(app::HeadScoresRequest), Job::Metric},
                                            {typeid(app::TaskScoresRequest), Job::Found},
                                            {typeid(app::SurveyQuestion), Job::Survey},
                                            {typeid(app::LensFitQuestion), Job::LensFit},
                                            {typeid(app::PatchQuestion), Job::Patch},
                                            {typeid(app::EdgeQuestion), Job::Edges},
                                            {typeid(app::WeightsQuestion), Job::Weights},
                                            {typeid(app::ProbeQuestion), Job::Probes},
                                            {typeid(app::SweepQuestion), Job::Sweep},
                                            {typeid(app::HeadFactsRequest), Job::HeadFacts}};
    return all;
}

std::optional<Job> jobOf(const app::Lane& lane)
{
    const auto found = std::ranges::find(listedJobs(), lane.request, &Listed::request);
    return found == listedJobs().end() ? std::nullopt : std::optional(found->job);
}

} // namespace

JobsController::JobsController(app::Door& door, widgets::RunsView& jobs, QObject* parent,
                               std::chrono::milliseconds moment)
    : QObject(parent), m_door(door), m_view(jobs), m_moment(moment)
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
    connect(&door, &app::Door::busyChanged, this, watch);
    watch(door.busy());
    connect(&door, &app::Door::progressed, this,
            [this](const app::Lane& lane, const QString&, qint64 done, qint64 total) {
                if (!lane.is<app::ScoresRequest>()) // which tells benchmarks; its replies tell examples
                    progressed(lane, done, total);
            });
    const auto scored = [this](Side side, const auto& reply) { this->scored(side, *reply); };
    door.on<app::ScoresRequest>(this, scored);
    connect(&jobs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        for (const Listed& one : listedJobs())
            if (const auto side = sideOfJob(one.job, id))
                m_door.stop({one.request, *side});
    });
}

void JobsController::scored(Side side, const app::ScoreReply& reply)
{
    qint64 total = 0;
    for (const app::BenchmarkScore& line : reply.lines)
        total += line.total;
    progressed(app::Lane::of<app::ScoresRequest>(side), reply.examples, total);
}

void JobsController::progressed(const app::Lane& lane, qint64 done, qint64 total)
{
    const auto found = m_running.find(lane);
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
    const auto running = m_door.running();
    std::erase_if(m_running, [&](const auto& entry) {
        if (std::ranges::find(running, entry.first) != running.end())
            return false;
        m_view.removeJob(entry.second.shown.id);
        return true;
    });
    for (const app::Lane& lane : running)
        if (const auto job = jobOf(lane)) {
            const auto [place, added] = m_running.try_emplace(lane);
            Running& now = place->second;
            if (added) {
                now.shown.id = jobId(*job, lane.side);
                now.shown.name = workText(lane);
                now.clock.start();
                now.since.start();
            }
            if (now.since.hasExpired(m_moment.count()))
                m_view.setJob(now.shown);
        }
}

} // namespace headscope::gui
