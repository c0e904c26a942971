// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Says on which machine the active model runs, and how much of its memory this program holds. GUI thread.

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
