// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows a session's results of models that are not on this machine: heads, rankings, patterns and scores. GUI thread.

#include "app/backend/session/storedrequests.h"
#include "app/state/windowstate.h"

#include <QObject>

#include <string>

namespace headscope::gui {

class StoredModelController : public QObject
{
    Q_OBJECT

public:
    StoredModelController(WindowState& state, app::SessionDoor& door, QObject* parent);

    void open(Side side, const std::string& hash);

private:
    void opened(Side side, const app::StoredModel& model);
    void showPattern(Side side);
    void showScores(Side side);
    void takePattern(Side side, const std::shared_ptr<const app::PatternReply>& pattern);
    void takeScores(Side side, const app::ScoreReply& scores);
    void showError(const Error& error);

    WindowState& m_state;
    app::SessionDoor& m_door;
};

} // namespace headscope::gui
