// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/scores/rankingcontroller.h"

#include "app/controllers/models/jobids.h"
#include "app/present/heads/headmarks.h"
#include "app/present/heads/sidenames.h"
#include "app/present/messages.h"
#include "app/present/scores/rankingwords.h"
#include "app/state/modelheads.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace headscope::gui {

using app::RankMethod;

RankingController::RankingController(WindowState& state, app::Door& door, widgets::RunsView& jobs, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(jobs)
{
    connectJobs();
    door.on<app::RankRequest>(this, &RankingController::arrived);
    connect(&state, &WindowState::siteChanged, this, &RankingController::lookAtMostImportant);
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        const SideState& now = m_state.side(side);
        job(side).estimating = false; // for the model before
        if (!now.model)
            job(side).chosenIn.clear();
        if (now.model && !now.isStored() && !now.effects) {
            job(side).method = RankMethod::Exact;
            begin(side);
        }
    });
    const auto choose = [this](Side side) {
        if (const auto& model = m_state.side(side).model)
            job(side).chosenIn = model->hash;
    };
    connect(&state, &WindowState::headChanged, this, choose);
    // Who locks a row or brings a text of their own looks at the head that is shown.
    connect(&state, &WindowState::lockedRowChanged, this, [this, choose](Side side) {
        if (m_state.side(side).lockedRow >= 0)
            choose(side);
    });
    connect(&state, &WindowState::promptChanged, this, [this, choose] {
        if (m_state.prompt().task.empty())
            std::ranges::for_each(kSides, choose);
    });
    connect(&door, &app::Door::finished, this, [this](const app::Lane& lane) {
        const auto& known = m_state.side(lane.side).ownMetrics;
        if (const auto losses = known.find("estimate"); lane.is<app::EstimateRequest>() && losses != known.end())
            estimated(lane.side, losses->second);
    });
    // Of other examples the heads cost something else; what colours the map is the person's choice and stays.
    connect(&state, &WindowState::scoresForgotten, this, [this] {
        for (const Side side : kSides)
            if (const SideState& now = m_state.side(side); now.model && !now.isStored() && !m_exam)
                start(side);
    });
}

void RankingController::connectJobs()
{
    connect(&m_door, &app::Door::progressed, this,
            [this](const app::Lane& lane, const QString&, qint64 done, qint64 total) {
                if (lane.is<app::RankRequest>())
                    progressed(lane.side, done, total);
            });
    const auto ends = [this](const app::Lane& lane) {
        if (lane.is<app::RankRequest>())
            ended(lane.side);
    };
    connect(&m_door, &app::Door::finished, this, ends);
    connect(&m_door, &app::Door::cancelled, this, ends);
    connect(&m_door, &app::Door::failed, this, ends);
    connect(&m_door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (lane.is<app::EstimateRequest>())
            estimated(lane.side, {});
    });
    connect(&m_view, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        if (const auto side = sideOfJob(gui::Job::Ranking, id)) {
            job(*side).shown.paused = false;
            m_door.stop<app::RankRequest>(*side);
            m_view.removeJob(id);
        }
    });
    // What was measured is in the session: going on measures only the rest.
    connect(&m_view, &widgets::RunsView::pauseRequested, this, [this](qint64 id, bool pause) {
        const auto side = sideOfJob(gui::Job::Ranking, id);
        if (!side)
            return;
        job(*side).shown.paused = pause;
        m_view.setJob(job(*side).shown);
        if (pause)
            m_door.stop<app::RankRequest>(*side);
        else
            start(*side);
    });
}

void RankingController::rank(Side side, RankMethod method)
{
    const SideState& now = m_state.side(side);
    if (!now.model)
        return;
    if (now.isStored())
        return m_state.notify(needsModel(*now.model, side, tr("Ranking heads")));
    switch (method) {
    case RankMethod::Exact:
    case RankMethod::Race:
        job(side).method = method;
        job(side).asked = job(side).again = true;
        m_state.setMetric(side, "effect");
        return start(side);
    case RankMethod::Estimate: return m_state.setMetric(side, "estimate");
    case RankMethod::Gather: return m_state.setMetric(side, "gather");
    case RankMethod::Aggregate: return m_state.setMetric(side, "aggregate");
    }
}

// Where every head takes hours an estimate of all colours the map first, and ablating refines it from the top.
void RankingController::begin(Side side)
{
    const app::ModelSummary& model = *m_state.side(side).model;
    if (m_exam)
        return;
    job(side).again = false;
    job(side).order.clear();
    job(side).estimating = isSlowToRank(model);
    if (!job(side).estimating)
        return start(side);
    if (m_state.side(side).metric == "effect")
        m_state.setMetric(side, "estimate"); // which asks for it
    else
        m_door.ask(app::EstimateRequest{estimateRequest(model, side)});
}

void RankingController::estimated(Side side, const std::vector<app::HeadValue>& losses)
{
    if (!std::exchange(job(side).estimating, false) || !m_state.side(side).model)
        return;
    std::vector<app::HeadValue> sorted = losses;
    std::ranges::stable_sort(sorted, std::ranges::greater(), &app::HeadValue::value);
    job(side).order.clear();
    for (const app::HeadValue& head : sorted)
        job(side).order.push_back(head.head);
    start(side);
}

void RankingController::start(Side side)
{
    Job& started = job(side);
    started.shown.paused = false;
    started.first.reset();
    started.clock.start();
    m_door.ask(app::RankRequest{.side = side,
                                .task = retrievalTask(*m_state.side(side).model),
                                .limit = started.method == RankMethod::Race ? 0 : rankLimit(*m_state.side(side).model),
                                .method = started.method,
                                .first = started.method == RankMethod::Exact ? started.order
                                                                             : std::vector<interventions::HeadRef>(),
                                .again = started.again});
}

void RankingController::progressed(Side side, qint64 done, qint64 total)
{
    Job& running = job(side);
    const qint64 before = running.first.value_or(done);
    running.first = before;
    const double seconds = static_cast<double>(running.clock.elapsed()) / 1000;
    const QString name = running.method == RankMethod::Race ? tr("Race for the first ten heads of %1")
                                                            : tr("Rank all heads of %1 (exact ablation)");
    running.shown = {.id = jobId(gui::Job::Ranking, side),
                     .name = name.arg(letterOf(side)),
                     .done = done,
                     .total = total,
                     .perSecond = seconds > 0 ? static_cast<double>(done - before) / seconds : 0,
                     .unit = tr("heads"),
                     .canPause = true};
    m_view.setJob(running.shown);
}

void RankingController::ended(Side side)
{
    if (!job(side).shown.paused)
        m_view.removeJob(jobId(gui::Job::Ranking, side));
    const auto runs = [this](Side each) { return m_door.isRunning<app::RankRequest>(each); };
    if (!m_whenMeasured || std::ranges::any_of(kSides, runs))
        return;
    const auto then = std::exchange(m_whenMeasured, nullptr);
    if (std::ranges::none_of(kSides, [this](Side each) { return isShipped(each); }))
        then();
}

bool RankingController::isShipped(Side side) const
{
    const SideState& now = m_state.side(side);
    return now.effects && now.effectsShipped && !now.isStored();
}

void RankingController::whenMeasured(std::function<void()> then)
{
    const auto shipped = [this](Side side) { return isShipped(side); };
    if (std::ranges::none_of(kSides, shipped))
        return then();
    m_state.notify({.text = tr("Measuring the cost of each head …")});
    m_whenMeasured = std::move(then);
    for (const Side side : kSides)
        if (isShipped(side)) {
            job(side).method = RankMethod::Exact;
            job(side).again = true;
            start(side);
        }
}

void RankingController::arrived(Side side, std::shared_ptr<const app::HeadCosts> heads)
{
    const SideState& now = m_state.side(side);
    if (!now.model)
        return;
    const bool grown = !now.effects || now.effects->size() < heads->size();
    const bool all = heads->size() == headCount(*now.model);
    m_state.setEffects(side, heads, job(side).method, heads->identity, heads->shipped);
    if (heads->shipped)
        m_state.notify({.kind = Message::Kind::Offer,
                        .text = tr("%1: the head costs were measured when this version was built.").arg(letterOf(side)),
                        .step = Message::Step::MeasureHeads,
                        .side = side});
    if (job(side).asked && all)
        if (const QString sure = rankingSentence(letterOf(side), *now.model, *now.effects); !sure.isEmpty()) {
            job(side).asked = false;
            m_state.notify({.text = sure});
        }
    // When all are measured and nobody looks at a head yet, look at the one that costs most.
    const bool chosen = job(side).chosenIn == now.model->hash;
    if (grown && all && !chosen && now.ablation.empty() && (now.head.head == 0 || now.site))
        lookAtMostImportant(side);
}

void RankingController::lookAtMostImportant(Side side)
{
    const SideState& now = m_state.side(side);
    if (now.effects)
        if (const auto head = mostImportantHead(*now.effects, now.site))
            m_state.setHead(side, *head);
}

} // namespace headscope::gui
