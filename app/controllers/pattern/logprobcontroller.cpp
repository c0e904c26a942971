// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/logprobcontroller.h"

#include "app/present/prompt/promptheat.h"

namespace headscope::gui {

LogProbController::LogProbController(WindowState& state, app::Door& door, widgets::PromptBar& bar, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_bar(bar)
{
    for (const auto changed : {&WindowState::modelChanged, &WindowState::ablationChanged})
        connect(&state, changed, this, &LogProbController::refresh);
    connect(&state, &WindowState::promptChanged, this, &LogProbController::refresh);
    connect(&state, &WindowState::activeSideChanged, this, &LogProbController::refresh);
    connect(&bar, &widgets::PromptBar::tokenTextsRequested, this, &LogProbController::requestWords);
    door.on<app::LogProbsRequest>(this, [this](Side side, const auto& reply) {
        if ((m_enabled || m_wanted) && side == m_state.activeSide() && reply->state == m_state.stateOf(side)
            && reply->text == m_bar.prompt().toStdString())
            m_bar.setHeat(promptHeat(*reply), m_enabled);
    });
}

void LogProbController::setEnabled(bool enabled)
{
    m_enabled = enabled;
    refresh();
}

void LogProbController::refresh()
{
    m_bar.setHeat({});
    m_wanted = false;
    if (m_enabled)
        request();
}

void LogProbController::request()
{
    const Side side = m_state.activeSide();
    const app::Prompt& prompt = m_state.promptOf(side);
    if (m_state.hasModel(side) && !m_state.side(side).isStored() && !prompt.text.empty())
        m_door.ask(app::LogProbsRequest{m_state.stateOf(side), prompt});
}

// Of a prompt that the model could read: why it cannot is said elsewhere, and not for a mouse that rests.
void LogProbController::requestWords()
{
    const Side side = m_state.activeSide();
    const auto& pattern = m_state.side(side).pattern;
    if (m_enabled || !pattern || pattern->text != m_bar.prompt().toStdString()
        || m_door.isRunning<app::LogProbsRequest>(side))
        return;
    m_wanted = true;
    request();
}

} // namespace headscope::gui
