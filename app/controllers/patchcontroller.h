// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of patching: asked for by a person, shown pair by pair, gone with what it was asked of. GUI thread.

#include "app/backend/backendclient.h"
#include "app/state/windowstate.h"
#include "widgets/why/patchpage.h"

#include <QObject>

namespace headscope::gui {

class PatchController : public QObject
{
    Q_OBJECT

public:
    PatchController(WindowState& state, BackendClient& client, widgets::PatchPage& page, QObject* parent);

    /// Patches in every open model.
    void start();

private:
    void start(Side side);
    void stop();
    /// What is shown is of another prompt, model or ablation.
    void forget(Side side);
    void show(Side side, const app::PatchReply& reply);
    void choose(Side side, const QString& head);
    void refreshRunning();

    WindowState& m_state;
    BackendClient& m_client;
    widgets::PatchPage& m_page;
};

} // namespace headscope::gui
