// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores analyses in the session: those started by the user when they finish, others shown when the user saves them;
// and shows stored probes of a model. GUI thread.

#include "app/backend/door.h"
#include "app/backend/session/sessiondoor.h"
#include "app/controllers/why/probecontroller.h"
#include "app/controllers/why/whycontroller.h"
#include "app/state/windowstate.h"

#include <QObject>

#include <array>
#include <map>

namespace headscope::gui {

class AnalysesController : public QObject
{
    Q_OBJECT

public:
    AnalysesController(WindowState& state, app::SessionDoor& door, app::Door& models, WhyController& why,
                       ProbeController& probes, QObject* parent);

    /// Lens and attribution as they are on the screen.
    void keepShown() { keepIn(m_door); }
    /// The same in any session, and in one that is not the window's all else that was asked for since the model was
    /// opened.
    void keepIn(app::SessionDoor& door);

private:
    void keep(app::SessionDoor& door, Side side, const std::vector<app::SavedAnalysis>& records);
    void readProbes(Side side);

    WindowState& m_state;
    app::SessionDoor& m_door;
    WhyController& m_why;
    ProbeController& m_probes;
    std::array<std::map<std::string, app::SavedAnalysis>, 2> m_newest; ///< by kind
};

} // namespace headscope::gui
