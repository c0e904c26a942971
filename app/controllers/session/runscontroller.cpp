// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/runscontroller.h"

#include "app/present/heads/sidenames.h"
#include "app/present/scores/recordpresenters.h"
#include "app/present/scores/scorepresenters.h"
#include "app/present/text.h"

#include <QDateTime>
#include <QUuid>

#include <algorithm>
#include <unordered_map>

namespace headscope::gui {

using app::SessionDoor;
using interventions::InterventionSet;
using sessions::RunRecord;
using widgets::RunsModel;
using widgets::RunsView;

namespace {

std::string keyOf(const RunRecord& run)
{
    return app::stateKey(run.modelHash, run.ablation);
}

// Those of the scoreboard first and in its order.
QList<widgets::RunScore> scoresOf(app::StateScores state, const std::vector<std::string>& board)
{
    std::ranges::stable_sort(state.scores, {}, [&](const app::TaskScore& score) {
        return std::ranges::find(board, score.task) - board.begin();
    });
    QList<widgets::RunScore> scores;
    for (const app::TaskScore& score : state.scores)
        scores.append(runScore(score.task, score.accuracy));
    return scores;
}

bool hasChannels(const app::ModelSummary& model)
{
    return std::ranges::any_of(model.layers, [](const std::vector<app::MixerSummary>& mixers) {
        return std::ranges::any_of(mixers, &app::MixerSummary::channels);
    });
}

} // namespace

RunsController::RunsController(WindowState& state, SessionDoor& door, RunsView& view, widgets::ScoreboardView& board,
                               QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(view)
{
    connectView();
    connect(&door, &SessionDoor::opened, this, [this] {
        forget(); // what was made before belongs to no session
        read();
    });
    connect(&door, &SessionDoor::changed, this, &RunsController::read);
    connect(&door, &SessionDoor::closed, this, &RunsController::forget);
    connect(&state, &WindowState::scoresChanged, this, &RunsController::remember);
    connect(&state, &WindowState::modelChanged, this, &RunsController::countChannels);
    connect(&board, &widgets::ScoreboardView::keepRunRequested, this, [this] {
        remember(m_state.activeSide());
        for (const widgets::RunRow& row : m_view.model()->runs())
            if (row.current)
                return m_view.editName(row.id);
    });
}

void RunsController::connectView()
{
    connect(&m_view, &RunsView::restoreRequested, this, &RunsController::restore);
    connect(&m_view, &RunsView::compareRequested, this, &RunsController::compare);
    // The list tells of a change from within it: it is filled anew when it is done.
    const auto queued = Qt::QueuedConnection;
    connect(
        m_view.model(), &RunsModel::nameChanged, this,
        [this](qint64 id, const QString& name) { edit(id, &RunRecord::name, name); }, queued);
    connect(
        m_view.model(), &RunsModel::noteChanged, this,
        [this](qint64 id, const QString& note) { edit(id, &RunRecord::note, note); }, queued);
    connect(m_view.model(), &RunsModel::orderChanged, this, &RunsController::sort, queued);
}

ListedRun* RunsController::find(qint64 id)
{
    const auto found = std::ranges::find(m_runs, id, &ListedRun::id);
    return found == m_runs.end() ? nullptr : &*found;
}

ListedRun* RunsController::find(const std::string& modelHash, const std::string& ablation)
{
    const auto found = std::ranges::find_if(m_runs, [&](const ListedRun& run) {
        return run.record.modelHash == modelHash && run.record.ablation == ablation;
    });
    return found == m_runs.end() ? nullptr : &*found;
}

ListedRun& RunsController::add(const RunRecord& record)
{
    m_runs.push_back({.id = m_nextId++, .record = record});
    m_runs.back().record.position = static_cast<int>(m_runs.size()) - 1;
    return m_runs.back();
}

// ---------------------------------------------------------------- with the session

// What was asked before the last change of ours is not waited for: it would bring the state before it back.
void RunsController::read()
{
    m_door.askLatest<app::StoredRuns>(this, "runs", app::storedRuns(), [this](const Result<app::StoredRuns>& stored) {
        if (stored.has_value())
            take(*stored);
        else if (stored.error().kind != Error::Kind::Cancelled)
            m_state.showError(stored.error());
    });
}

// The list that is shown keeps its lines, and what could not be stored stays in it.
void RunsController::take(const app::StoredRuns& stored)
{
    addMissing(stored);
    std::unordered_map<std::string, const app::StateScores*> scored;
    std::unordered_map<std::string, QString> models;
    for (const app::StateScores& state : stored.states) {
        scored[app::stateKey(state.modelHash, state.ablation)] = &state;
        models[state.modelHash] = text(state.modelName);
    }
    for (ListedRun& run : m_runs) {
        const std::string key = keyOf(run.record);
        if (const auto found = scored.find(key); found != scored.end())
            run.scores = scoresOf(*found->second, m_state.benchmarks(Side::A));
        if (const auto found = models.find(run.record.modelHash); found != models.end())
            run.modelName = found->second;
        if (const auto made = stored.asked.find(key); made != stored.asked.end() && run.record.created.empty())
            run.record.created = made->second;
    }
    show();
}

// A run that was kept takes the line of its state, where that has none yet.
void RunsController::addMissing(const app::StoredRuns& stored)
{
    std::unordered_map<std::string, std::size_t> byUid, byState;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        byUid.try_emplace(m_runs[i].record.uid, i);
        byState.try_emplace(keyOf(m_runs[i].record), i);
    }
    for (const RunRecord& record : stored.runs) {
        const auto known = byUid.find(record.uid);
        const auto [place, fresh] = byState.try_emplace(keyOf(record), m_runs.size());
        if (known != byUid.end())
            m_runs[known->second].record = record;
        else if (!fresh && m_runs[place->second].record.uid.empty())
            m_runs[place->second].record = record;
        else
            add(record).record.position = record.position;
    }
    for (const app::StateScores& state : stored.states)
        if (byState.try_emplace(app::stateKey(state.modelHash, state.ablation), m_runs.size()).second) {
            RunRecord run{.name = state.ablation, .modelHash = state.modelHash, .ablation = state.ablation};
            const std::optional<Side> side = sideOf(m_state, run);
            if (const auto set = InterventionSet::parse(state.ablation); set.has_value())
                run.name = stateName(*set, side ? m_state.side(*side).model.get() : nullptr).toStdString();
            add(run);
        }
}

// That heads are channels is known once their model is open; what a person called a run stays.
void RunsController::countChannels(Side side)
{
    const auto& model = m_state.side(side).model;
    if (!model || !hasChannels(*model))
        return;
    for (ListedRun& run : m_runs)
        if (run.record.modelHash == model->hash)
            if (const auto set = InterventionSet::parse(run.record.ablation);
                set.has_value() && run.record.name == stateName(*set).toStdString())
                run.record.name = stateName(*set, model.get()).toStdString();
    show();
}

void RunsController::forget()
{
    m_runs.clear();
    show();
}

void RunsController::show()
{
    m_view.model()->setRuns(runRows(m_runs, m_state));
}

void RunsController::keepByHand(ListedRun& run)
{
    if (run.record.created.empty())
        run.record.created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    if (run.record.uid.empty())
        run.record.uid = QUuid::createUuid().toString(QUuid::Id128).toStdString();
    keep(run);
}

void RunsController::keep(const ListedRun& run)
{
    if (!m_door.isOpen() || m_door.readOnly())
        return;
    const auto side = sideOf(m_state, run.record);
    m_door.keep(side ? app::keepRun(modelRecord(*m_state.side(*side).model), run.record)
                     : app::keepRuns({run.record})); // a model that the session has
    read();
}

// ---------------------------------------------------------------- what a person does

void RunsController::remember(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.scores || !now.scores->final)
        return;
    const std::string ablation = now.ablation.canonical();
    ListedRun* run = find(now.model->hash, ablation);
    if (!run)
        run = &add({.name = stateName(now.ablation, now.model.get()).toStdString(),
                    .modelHash = now.model->hash,
                    .ablation = ablation});
    run->scores = scoreSummary(now.scores->lines);
    if (run->record.created.empty()) // new, or so far only scored on the way of a ranking
        keepByHand(*run);
    show();
}

void RunsController::edit(qint64 id, std::string RunRecord::*field, const QString& words)
{
    const ListedRun* run = find(id);
    if (!run)
        return;
    const auto set = [this, id, field](const std::string& text) {
        if (ListedRun* now = find(id)) {
            now->record.*field = text;
            keepByHand(*now);
            show();
        }
    };
    m_state.change(
        this, tr("Describe a run"), [=, now = words.toStdString()] { set(now); },
        [=, before = run->record.*field] { set(before); });
}

void RunsController::sort(const QList<qint64>& ids)
{
    std::vector<const ListedRun*> now;
    for (const ListedRun& run : m_runs)
        now.push_back(&run);
    std::ranges::stable_sort(now, {}, [](const ListedRun* run) { return run->record.position; });
    QList<qint64> before;
    for (const ListedRun* run : now)
        before.append(run->id);
    if (before != ids)
        m_state.change(
            this, tr("Sort the runs"), [=, this] { place(ids); }, [=, this] { place(before); });
}

// States that nobody asked for keep their places in this sitting only.
void RunsController::place(const QList<qint64>& ids)
{
    std::vector<RunRecord> moved;
    for (int position = 0; position < ids.size(); ++position)
        if (ListedRun* run = find(ids[position]); run && run->record.position != position) {
            run->record.position = position;
            if (!run->record.uid.empty())
                moved.push_back(run->record);
        }
    if (!moved.empty() && m_door.isOpen() && !m_door.readOnly()) {
        m_door.keep(app::keepRuns(moved));
        read();
    }
    show();
}

void RunsController::restore(qint64 id)
{
    const ListedRun* run = find(id);
    const auto set = run ? InterventionSet::parse(run->record.ablation) : Result<InterventionSet>(InterventionSet());
    for (const Side side : kSides)
        if (run && set.has_value() && m_state.hasModel(side) && m_state.side(side).model->hash == run->record.modelHash)
            m_state.changeAblation(side, *set, tr("Back to %1").arg(text(run->record.name)));
}

void RunsController::compare(qint64 first, qint64 second)
{
    const ListedRun* a = find(first);
    const ListedRun* b = find(second);
    if (!a || !b)
        return;
    const RunRecord before = a->record, after = b->record; // the list may change under what follows
    compareOpen(before, after);
    if (!m_door.isOpen())
        return;
    using Changes = std::vector<sessions::StateChange>;
    m_door.askLatest<Changes>(
        this, "compare", app::compareStates({before.modelHash, before.ablation}, {after.modelHash, after.ablation}),
        [this, before, after](const Result<Changes>& changes) {
            if (changes.has_value())
                Q_EMIT compared(text(before.name), text(after.name), *changes);
            else if (changes.error().kind != Error::Kind::Cancelled)
                m_state.showError(changes.error());
        });
}

void RunsController::compareOpen(const RunRecord& before, const RunRecord& after)
{
    const auto sideBefore = sideOf(m_state, before), sideAfter = sideOf(m_state, after);
    const auto set = InterventionSet::parse(after.ablation), reference = InterventionSet::parse(before.ablation);
    if (!sideBefore || !sideAfter || !set.has_value() || !reference.has_value() || m_state.side(*sideBefore).isStored()
        || m_state.side(*sideAfter).isStored())
        return;
    m_state.setActiveSide(*sideAfter);
    m_state.changeAblation(*sideAfter, *set, tr("Compare %1 with %2").arg(text(after.name), text(before.name)));
    m_state.setReference(*sideAfter, {*sideBefore, *reference});
    m_state.notify({.text = tr("The scoreboard compares %1 with %2 on the same examples.")
                                .arg(stateText(m_state, m_state.stateOf(*sideAfter)),
                                     stateText(m_state, m_state.referenceOf(*sideAfter))),
                    .step = Message::Step::CompareWithAllHeadsOn,
                    .side = *sideAfter});
}

} // namespace headscope::gui
