// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows the device of the active model and the memory used by this program. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"

#include <QObject>
#include <QTimer>

class QLabel;

namespace headscope::gui {

class MachineController : public QObject
{
    Q_OBJECT

public:
    MachineController(WindowState& state, app::Door& door, QLabel& line, QObject* parent);

private:
    void show();

    WindowState& m_state;
    QLabel& m_line;
    QTimer m_again;
};

} // namespace headscope::gui
