// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/scores/scorecontroller.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "app/present/scores/scorepresenters.h"
#include "app/present/scores/tasknames.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::gui {

using widgets::ScoreboardModel;

ScoreController::ScoreController(WindowState& state, app::Door& door, widgets::ScoreboardView& board, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_board(board)
{
    connectState();
    connectBoard();
    door.on<app::ScoresRequest>(&state, &WindowState::setScores);
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (lane.is<app::SampleRequest>())
            requestMissing(); // they need no prompt
    });
}

void ScoreController::connectState()
{
    connect(&m_state, &WindowState::ablationChanged, this, [this](Side side) {
        if (m_verdictShown && m_state.side(side).ablation.empty())
            m_state.clearMessage(); // what it says of a head that was off is over
        showState();
        request(side);
    });
    connect(&m_state, &WindowState::referenceChanged, this, [this](Side side) {
        showState();
        request(side);
    });
    connect(&m_state, &WindowState::modelChanged, this, [this] {
        show();
        if (!m_state.prompt().text.empty()) // else after the first pattern, which is the first thing to see
            requestMissing();
    });
    connect(&m_state, &WindowState::promptChanged, this, &ScoreController::requestMissing);
    connect(&m_state, &WindowState::scoresForgotten, this, [this] {
        for (const Side side : kSides)
            request(side);
    });
    connect(&m_state, &WindowState::benchmarksChanged, this, [this] {
        show();
        for (const Side side : kSides)
            request(side);
    });
    connect(&m_state, &WindowState::pinnedChanged, this, [this] {
        if (const Side side = m_state.activeSide(); m_state.hasModel(side))
            m_board.model()->setRows(scoreRows(m_state, side));
        for (const Side side : kSides) // those that have ended have nothing to begin with
            if (m_door.isRunning<app::ScoresRequest>(side))
                request(side);
    });
    connect(&m_state, &WindowState::activeSideChanged, this, &ScoreController::show);
    connect(&m_state, &WindowState::scoresChanged, this, &ScoreController::arrived);
    connect(&m_state, &WindowState::notified, this,
            [this](const Message& message) { m_verdictShown = message.step == Message::Step::Undo; });
}

void ScoreController::connectBoard()
{
    connect(m_board.model(), &ScoreboardModel::followChanged, this, [this](const QString& id, bool follow) {
        m_state.setFollowed(id.toStdString(), follow);
        if (follow)
            for (const Side side : kSides)
                request(side);
    });
    connect(&m_board, &widgets::ScoreboardView::pinRequested, this,
            [this](const QString& id) { m_state.setPinned(id.toStdString()); });
}

void ScoreController::request(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.model)
        return;
    if (now.isStored()) { // its scores arrive without a request
        if (side == m_state.activeSide())
            show();
        return;
    }
    if (side == m_state.activeSide())
        m_board.model()->markStale();
    m_door.ask(
        app::ScoresRequest{m_state.stateOf(side), m_state.referenceOf(side), m_state.followed(side), m_state.pinned()});
}

void ScoreController::requestMissing()
{
    for (const Side side : kSides)
        if (!m_state.side(side).scores && !m_door.isRunning<app::ScoresRequest>(side))
            request(side);
}

void ScoreController::arrived(Side side)
{
    if (side == m_state.activeSide())
        show();
    const SideState& now = m_state.side(side);
    if (!now.scores || !now.scores->final || now.ablation.empty())
        return;
    if (const QString verdict =
            verdictSentence(letterOf(side), ablationWords(now.ablation, now.model.get()), now.scores->lines);
        !verdict.isEmpty())
        m_state.notify({.text = verdict, .step = Message::Step::Undo});
}

QString ScoreController::sentence(Side side) const
{
    const SideState& now = m_state.side(side);
    if (now.ablation.empty())
        return {};
    const QString state = stateText(m_state, m_state.stateOf(side));
    if (now.scores && (now.scores->final || now.scores->later))
        return costSentence(state == stateHeading(m_state, side) ? QString() : state, now.scores->lines); // said once
    return now.isStored() ? QString() : tr("%1. Measuring the effect.").arg(state);
}

void ScoreController::show()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    if (!now.model)
        return;
    showState();
    const std::vector<widgets::ScoreboardRow> rows = scoreRows(m_state, side);
    ScoreboardModel* model = m_board.model();
    model->setReferenceName(now.reference ? stateText(m_state, *now.reference) : QString());
    const bool sameRows =
        std::ranges::equal(rows, model->rows(), {}, &widgets::ScoreboardRow::id, &widgets::ScoreboardRow::id);
    const bool otherSides = std::exchange(m_shown, side) != side;
    if (!sameRows || otherSides || !now.scores)
        model->setRows(rows);
    else
        for (const widgets::ScoreboardRow& row : rows)
            if (!std::isnan(row.baseline) || !std::isnan(row.now) || !row.unavailable.isEmpty())
                model->updateRow(row); // rows without a new number keep the old one, greyed
    m_board.setSentence(sentence(side));
    if (now.scores)
        m_board.setFootnote(scoreFootnote(*now.scores));
}

void ScoreController::showState()
{
    if (const Side side = m_state.activeSide(); m_state.hasModel(side))
        m_board.setState(stateHeading(m_state, side));
}

} // namespace headscope::gui
