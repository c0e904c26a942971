// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Keeps the patterns on the screen and finished rankings in the session, when a person asks for it. GUI thread.

#include "app/backend/session/sessiondoor.h"
#include "app/state/windowstate.h"

#include <QObject>

namespace headscope::gui {

class KeepController : public QObject
{
    Q_OBJECT

public:
    KeepController(WindowState& state, app::SessionDoor& door, QObject* parent)
        : QObject(parent), m_state(state), m_door(door)
    {
    }

    /// Says so, or why not.
    void keep();

private:
    WindowState& m_state;
    app::SessionDoor& m_door;
};

} // namespace headscope::gui
