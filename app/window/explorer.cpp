// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/explorer.h"

#include "app/present/heads/headspans.h"
#include "app/state/modelheads.h"
#include "app/window/dialogs/comparedialog.h"

namespace headscope::gui {

Explorer::Explorer(const Parts& parts, app::Door& worker, app::SessionDoor& door, WindowState& state, QObject* parent)
    : QObject(parent), m_worker(worker), m_door(door), m_state(state), m_controllers(state, worker, door, parts)
{
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        if (m_state.hasModel(side))
            Q_EMIT modelShown();
    });
    connect(&state, &WindowState::foundHeadsChanged, this, &Explorer::headsFound);
    connect(&state, &WindowState::scoresChanged, this, [this](Side side) {
        if (m_state.side(side).scores->final)
            Q_EMIT scoresFinal(side);
    });
    connect(&m_controllers.runs, &RunsController::compared, parts.runs,
            [runs = parts.runs](const QString& first, const QString& second, const auto& changes) {
                showComparison(runs, first, second, changes);
            });
}

void Explorer::showHead(Side side, const widgets::HeadSpan& head)
{
    if (hasModel(side))
        m_state.setHead(side, headRef(*model(side), head));
}

QString Explorer::foundHead(Side side, bool aggregate) const
{
    const auto& found = m_state.side(side).found;
    if (!found || (aggregate ? found->aggregate : found->gather).empty())
        return {};
    return QString::fromStdString(toText((aggregate ? found->aggregate : found->gather).front()));
}

bool Explorer::isHybrid(Side side) const
{
    return hasModel(side) && gui::isHybrid(*model(side));
}

QString Explorer::ablation(Side side) const
{
    return QString::fromStdString(m_state.side(side).ablation.canonical());
}

// The worker stores what it measures through a connection of its own.
void Explorer::openSession(const QString& file, bool restore)
{
    m_worker.ask(app::OpenSessionRequest{file.toStdString()});
    m_controllers.restore.saveNow(); // in the session that is left
    m_controllers.restore.setRestoring(restore);
    if (file.isEmpty())
        m_door.close();
    else
        m_door.open(file.toStdString());
}

} // namespace headscope::gui
