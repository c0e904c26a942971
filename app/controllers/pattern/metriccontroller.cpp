// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/metriccontroller.h"

#include "app/present/heads/headcsv.h"
#include "app/present/heads/headmarks.h"
#include "app/present/heads/headmetrics.h"
#include "app/present/heads/sidenames.h"
#include "app/present/messages.h"
#include "app/present/scores/rankingwords.h"
#include "app/state/modelheads.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope::gui {

namespace {

constexpr std::array kChanges = {"changed ov", "changed qk", "changed pattern"}; // from model A to B

bool isChange(const std::string& metric)
{
    return std::ranges::find(kChanges, metric) != kChanges.end();
}

/// Returns the metric id for a file column; columns with the name of a built-in metric get a suffix.
std::string ownName(const QString& column)
{
    return column.toStdString() + (isMeasuredMetric(column) ? " (file)" : "");
}

} // namespace

MetricController::MetricController(WindowState& state, app::Door& door, QObject* parent)
    : QObject(parent), m_state(state), m_door(door)
{
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_door.withdrawBoth<app::ChangedHeadsRequest>(); // they are of both models
        request(side);
        const Side other = otherSide(side); // what it was compared with is gone
        for (const char* change : kChanges)
            m_state.dropOwnMetric(other, change);
        if (!isChange(m_state.side(other).metric))
            return;
        if (m_state.hasModel(side))
            request(other);
        else
            m_state.setMetric(other, "effect");
    });
    door.on<app::ChangedHeadsRequest>(this, [this](const app::ChangedHeadsRequest& request, const auto& changes) {
        if (m_state.promptOf(request.side).text != request.prompt.text)
            return;
        for (const Side side : kSides)
            for (const auto& [name, heads] : *changes)
                m_state.setOwnMetric(side, "changed " + name, heads);
        if (!changes->undefined.empty())
            m_state.notify({.text = QString::fromStdString(changes->undefined.front())});
    });
    connect(&state, &WindowState::metricChanged, this, &MetricController::request);
    // An estimate is of all heads on, whatever is read: no click and no prompt begins it anew, nor one that was
    // stopped. What heads are worth for a prompt is of all heads on too.
    connect(&state, &WindowState::ablationChanged, this, [this](Side side) {
        if (const std::string& metric = m_state.side(side).metric; metric != "estimate" && metric != "prompt")
            request(side);
    });
    connect(&state, &WindowState::promptChanged, this, [this] {
        for (const Side side : kSides) {
            if (!m_state.side(side).ownMetrics.contains("prompt"))
                m_door.withdraw<app::PromptEffectsRequest>(side);
            if (!m_state.side(side).headScores)
                m_door.withdraw<app::HeadScoresRequest>(side);
            if (m_state.side(side).metric != "estimate")
                request(side);
        }
    });
    door.on<app::PromptEffectsRequest>(this, [this](const app::PromptEffectsRequest& request, const auto& heads) {
        if (m_state.promptOf(request.side).text == request.prompt.text)
            m_state.setOwnMetric(request.side, "prompt", *heads);
    });
    connect(&door, &app::Door::finished, this, [this](const app::Lane& lane) {
        const auto& known = m_state.side(lane.side).ownMetrics;
        if (lane.is<app::PromptEffectsRequest>() && std::exchange(m_ranksPrompt[indexOf(lane.side)], false)
            && known.contains("prompt") && lane.side == m_state.activeSide())
            if (const QString first =
                    promptRankingSentence(letterOf(lane.side), *m_state.side(lane.side).model, known.at("prompt"));
                !first.isEmpty())
                m_state.notify({.text = first});
    });
    door.on<app::EstimateRequest>(
        this, [this](Side side, const auto& heads) { m_state.setOwnMetric(side, "estimate", *heads); });
    connectScores();
}

void MetricController::connectScores()
{
    m_door.on<app::HeadScoresRequest>(this, [this](const app::HeadScoresRequest& request, const auto& scores) {
        if (m_state.promptOf(request.side).text == request.prompt.text)
            m_state.setHeadScores(request.side, scores);
    });
    const auto ended = [this](const app::Lane& lane) {
        if (lane.is<app::HeadScoresRequest>() && !m_state.side(lane.side).headScores
            && !m_door.isRunning<app::HeadScoresRequest>(lane.side))
            m_state.setHeadScores(lane.side, nullptr);
    };
    connect(&m_door, &app::Door::failed, this, ended);
    connect(&m_door, &app::Door::cancelled, this, ended);
    connect(&m_state, &WindowState::modelChanged, this, [this](Side side) {
        m_ofTask[indexOf(side)].reset();
        m_askedAt[indexOf(side)] = 0;
    });
    connect(&m_state, &WindowState::effectsChanged, this, &MetricController::find);
    m_door.on<app::TaskScoresRequest>(this, [this](Side side, const auto& scores) {
        m_ofTask[indexOf(side)] = scores;
        find(side);
    });
}

void MetricController::request(Side side)
{
    const SideState& now = m_state.side(side);
    const bool estimate = now.metric == "estimate"; // the one that is known may be of the first examples only
    if (!now.model || now.metric == "effect" || (now.ownMetrics.contains(now.metric) && !estimate))
        return;
    const QString id = QString::fromStdString(now.metric);
    if (now.metric == "attribution" || now.metric == "copying" || (isMeasuredMetric(id) && !isHeadMetric(id)))
        return; // the pages that tell why ask for them
    if (now.isStored())
        return m_state.notify(needsModel(*now.model, side, tr("This metric for every head")));
    if (estimate) {
        m_door.ask(app::EstimateRequest{estimateRequest(*now.model, side)});
    } else if (isChange(now.metric)) {
        m_door.ask(app::ChangedHeadsRequest{side, m_state.promptOf(side)});
    } else if (now.metric == "prompt") {
        if (!m_state.promptOf(side).text.empty())
            m_door.ask(app::PromptEffectsRequest{side, m_state.promptOf(side)});
    } else if (!now.headScores && !m_state.promptOf(side).text.empty()) {
        m_door.ask(app::HeadScoresRequest{side, m_state.promptOf(side), now.ablation});
    }
}

void MetricController::rankOnPrompt()
{
    for (const Side side : kSides) {
        if (!m_state.hasModel(side))
            continue;
        m_ranksPrompt[indexOf(side)] = true;
        m_state.dropOwnMetric(side, "prompt"); // one that was stopped knows some heads only
        m_state.setMetric(side, "prompt");     // which asks for it
    }
}

// What heads look at tells of those that a ranking has found what they are for: in a prompt of what was ranked, with
// all heads on. The prompt on the screen may have nothing to gather, and with heads off the others look elsewhere.
void MetricController::find(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.model || now.isStored() || !now.effects)
        return;
    if (const auto& scores = m_ofTask[indexOf(side)])
        return m_state.setFoundHeads(side, foundHeads(*now.effects, *scores));
    // Of a large model, whose last heads come much later, the first of the estimate; then all. Asked once at each of
    // the two sizes, for what fails once would fail as often as there are heads.
    constexpr std::size_t kFirst = 16;
    const std::size_t count = now.effects->size(), all = headCount(*now.model);
    const std::size_t reached = count >= all ? all : count >= kFirst ? kFirst : 0;
    if (reached <= m_askedAt[indexOf(side)])
        return;
    m_askedAt[indexOf(side)] = reached;
    m_door.ask(app::TaskScoresRequest{side, retrievalTask(*now.model)});
}

void MetricController::addFile(Side side, const QString& path)
{
    const auto& model = m_state.side(side).model;
    if (!model)
        return;
    const auto columns = readHeadColumnFile(path);
    if (!columns.has_value())
        return m_state.showError(columns.error());
    for (const HeadColumn& column : *columns) {
        const auto values = headValues(column, *model);
        if (!values.has_value())
            return m_state.showError(values.error());
        m_state.setOwnMetric(side, ownName(column.name), *values);
    }
    m_state.setMetric(side, ownName(columns->back().name));
}

} // namespace headscope::gui
