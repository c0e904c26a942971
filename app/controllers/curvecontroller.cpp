// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/curvecontroller.h"

#include "app/present/kvcurves.h"

namespace headscope::gui {

using Kind = BackendClient::Kind;

CurveController::CurveController(WindowState& state, BackendClient& client, widgets::KvChart& chart, QObject* parent)
    : QObject(parent), m_state(state), m_client(client), m_chart(chart)
{
    connect(&state, &WindowState::ablationChanged, this, [this](Side side) { m_client.stop(Kind::Curve, side); });
    connect(&state, &WindowState::scoresChanged, this, [this](Side side) {
        if (m_state.side(side).scores->final)
            request(side);
    });
    connect(&client, &BackendClient::curveReady, &state, &WindowState::setCurve);
    connect(&state, &WindowState::curveChanged, this, &CurveController::show);
    connect(&state, &WindowState::modelChanged, this, &CurveController::show);
}

void CurveController::request(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.model || now.isStored())
        return;
    std::vector<std::string> tasks;
    for (const int size : now.model->kvSizes)
        tasks.push_back(now.model->kvTask + ":pairs=" + std::to_string(size));
    m_client.requestCurve(m_state.stateOf(side), tasks);
}

void CurveController::show()
{
    const KvCurves curves = kvCurves(m_state.side(Side::A), m_state.side(Side::B));
    m_chart.setCurves(curves.lines, curves.chance);
}

} // namespace headscope::gui
