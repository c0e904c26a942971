// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How likely the chosen model found each token of the prompt: shown where the mouse rests, and as the prompt's colours
// while a person wants them. GUI thread.

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
