// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/scores/flipscontroller.h"

#include "app/present/scores/scorepresenters.h"
#include "app/present/scores/tasknames.h"

#include <algorithm>

namespace headscope::gui {

using widgets::FlipsView;
using widgets::ScoreboardView;

namespace {

bool isUnscored(const app::ScoreReply& scores, const std::string& task)
{
    const auto line = std::ranges::find(scores.lines, task, &app::BenchmarkScore::task);
    return line != scores.lines.end() && !line->problem.empty();
}

} // namespace

FlipsController::FlipsController(WindowState& state, app::Door& door, FlipsView& view, ScoreboardView& board,
                                 QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(view), m_board(board)
{
    connect(&board, &ScoreboardView::benchmarkChosen, &state,
            [&state](const QString& id) { state.setExamplesTask(id.toStdString()); });
    connect(&board, &ScoreboardView::flipsToggled, &view, &QWidget::setVisible);
    connect(&view, &FlipsView::exampleActivated, this, [this](const QString& sample) {
        const Side side = m_state.activeSide();
        if (const std::string task = m_state.examplesTask(side); !task.empty() && !m_state.side(side).isStored())
            Q_EMIT sampleWanted(QString::fromStdString(task), sample.toInt());
    });
    door.on<app::FlipsRequest>(this, [this](const app::FlipsRequest& request, const auto& rows) {
        arrived(request.now.side, QString::fromStdString(request.task), *rows);
    });
    connect(&state, &WindowState::scoresChanged, this, [this](Side side) {
        if (const auto& scores = m_state.side(side).scores; side == m_state.activeSide() && scores && scores->final)
            request();
    });
    connect(&state, &WindowState::examplesTaskChanged, this, &FlipsController::request);
    connect(&state, &WindowState::activeSideChanged, this, [this] {
        clear(); // the other side's rows are not this one's
        request();
    });
}

void FlipsController::request()
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    const std::string task = m_state.examplesTask(side);
    if (!now.model || now.isStored() || task.empty())
        return;
    if (m_state.isReference(side) || (now.scores && isUnscored(*now.scores, task)))
        clear(); // nothing can flip against itself; why there is no score its own line says
    else if (now.scores && now.scores->final)
        m_door.ask(app::FlipsRequest{m_state.stateOf(side), m_state.referenceOf(side), task});
}

void FlipsController::clear()
{
    m_door.withdrawBoth<app::FlipsRequest>();
    const std::string task = m_state.examplesTask(m_state.activeSide());
    m_view.setFlips(taskTitle(QString::fromStdString(task)), {});
    m_board.setFlips(-1);
}

void FlipsController::arrived(Side side, const QString& task, const std::vector<app::FlipRow>& rows)
{
    if (side != m_state.activeSide() || task.toStdString() != m_state.examplesTask(side))
        return;
    m_view.setFlips(taskTitle(task), flips(rows));
    m_board.setFlips(static_cast<int>(rows.size()));
}

} // namespace headscope::gui
