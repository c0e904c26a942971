// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The log-probability of each prompt token in the active model: shown when the mouse rests on it, and as colours of the
// prompt if enabled. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>

namespace headscope::gui {

class LogProbController : public QObject
{
    Q_OBJECT

public:
    LogProbController(WindowState& state, app::Door& door, widgets::PromptBar& bar, QObject* parent);

    void setEnabled(bool enabled);
    [[nodiscard]] bool isEnabled() const { return m_enabled; }

private:
    void refresh();
    void request();
    void requestWords();

    WindowState& m_state;
    app::Door& m_door;
    widgets::PromptBar& m_bar;
    bool m_enabled = false;
    bool m_wanted = false; ///< without the colours
};

} // namespace headscope::gui
