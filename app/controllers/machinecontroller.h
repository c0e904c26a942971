// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Says on which machine the active model runs, and how much of its memory this program holds. GUI thread.

#include "app/backend/backendclient.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>

namespace headscope::gui {

class MachineController : public QObject
{
    Q_OBJECT

public:
    MachineController(WindowState& state, BackendClient& client, widgets::PromptBar& bar, QObject* parent);

private:
    void show();

    WindowState& m_state;
    widgets::PromptBar& m_bar;
};

} // namespace headscope::gui
