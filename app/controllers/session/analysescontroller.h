// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Keeps analyses in the session: those that a person started when they are over, what is shown besides when it is to be
// kept; and shows the probes of a model that were kept before. GUI thread.

#include "app/backend/door.h"
#include "app/backend/session/sessiondoor.h"
#include "app/controllers/why/probecontroller.h"
#include "app/controllers/why/whycontroller.h"
#include "app/state/windowstate.h"

#include <QObject>

namespace headscope::gui {

class AnalysesController : public QObject
{
    Q_OBJECT

public:
    AnalysesController(WindowState& state, app::SessionDoor& door, app::Door& models, WhyController& why,
                       ProbeController& probes, QObject* parent);

    /// Lens and attribution as they are on the screen.
    void keepShown();

private:
    void keep(Side side, const std::vector<app::SavedAnalysis>& records);
    void readProbes(Side side);

    WindowState& m_state;
    app::SessionDoor& m_door;
    WhyController& m_why;
    ProbeController& m_probes;
};

} // namespace headscope::gui
