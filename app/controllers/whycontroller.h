// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page that tells why a model answers as it does: asked for while it is seen, anew with each ablation. GUI thread.

#include "app/backend/backendclient.h"
#include "app/state/windowstate.h"
#include "widgets/why/whypage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class WhyController : public QObject
{
    Q_OBJECT

public:
    WhyController(WindowState& state, BackendClient& client, widgets::WhyPage& page, QObject* parent);

private:
    void refresh(Side side);
    void refreshBoth();
    void showProblem(BackendClient::Kind kind, Side side, const QString& sentence);
    void choose(Side side, const QString& part);

    WindowState& m_state;
    BackendClient& m_client;
    widgets::WhyPage& m_page;
    std::array<std::shared_ptr<const app::DirectReply>, 2> m_parts; ///< what is shown; null: nothing
};

} // namespace headscope::gui
