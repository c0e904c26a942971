// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores the patterns on the screen and finished rankings in the session, at the user's request. GUI thread.

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

    /// Stores them and reports the result.
    void keep();

private:
    WindowState& m_state;
    app::SessionDoor& m_door;
};

} // namespace headscope::gui
