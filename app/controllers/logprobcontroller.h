// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt coloured by how likely the chosen model found each token, while a person wants it. GUI thread.

#include "app/backend/backendclient.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>

namespace headscope::gui {

class LogProbController : public QObject
{
    Q_OBJECT

public:
    LogProbController(WindowState& state, BackendClient& client, widgets::PromptBar& bar, QObject* parent);

    void setEnabled(bool enabled);
    [[nodiscard]] bool isEnabled() const { return m_enabled; }

private:
    void refresh();

    WindowState& m_state;
    BackendClient& m_client;
    widgets::PromptBar& m_bar;
    bool m_enabled = false;
};

} // namespace headscope::gui
