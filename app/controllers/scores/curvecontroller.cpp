// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/scores/curvecontroller.h"

#include "app/present/scores/kvcurves.h"

namespace headscope::gui {

CurveController::CurveController(WindowState& state, app::Door& door, widgets::KvChart& chart, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_chart(chart)
{
    connect(&state, &WindowState::ablationChanged, this,
            [this](Side side) { m_door.withdraw<app::CurveRequest>(side); });
    connect(&state, &WindowState::scoresChanged, this, [this](Side side) {
        if (m_state.side(side).scores->final)
            request(side);
    });
    door.on<app::CurveRequest>(&state, &WindowState::setCurve);
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
    m_door.ask(app::CurveRequest{{m_state.stateOf(side), {side, {}}, tasks}}); // against all heads on
}

void CurveController::show()
{
    const KvCurves curves = kvCurves(m_state.side(Side::A), m_state.side(Side::B));
    m_chart.setCurves(curves.lines, curves.chance);
}

} // namespace headscope::gui
