// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/logprobcontroller.h"

#include "app/present/promptheat.h"

namespace headscope::gui {

LogProbController::LogProbController(WindowState& state, BackendClient& client, widgets::PromptBar& bar,
                                     QObject* parent)
    : QObject(parent), m_state(state), m_client(client), m_bar(bar)
{
    for (const auto changed : {&WindowState::modelChanged, &WindowState::ablationChanged})
        connect(&state, changed, this, &LogProbController::refresh);
    connect(&state, &WindowState::promptChanged, this, &LogProbController::refresh);
    connect(&state, &WindowState::activeSideChanged, this, &LogProbController::refresh);
    connect(&client, &BackendClient::logProbsReady, this, [this](Side side, const auto& reply) {
        if (m_enabled && side == m_state.activeSide() && reply->state == m_state.stateOf(side)
            && reply->text == m_bar.prompt().toStdString())
            m_bar.setHeat(promptHeat(*reply));
    });
}

void LogProbController::setEnabled(bool enabled)
{
    m_enabled = enabled;
    refresh();
}

void LogProbController::refresh()
{
    const Side side = m_state.activeSide();
    m_bar.setHeat({});
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_enabled || !m_state.hasModel(side) || m_state.side(side).isStored() || prompt.text.empty())
        return;
    m_client.requestLogProbs(m_state.stateOf(side), prompt);
}

} // namespace headscope::gui
