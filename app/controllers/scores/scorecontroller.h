// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scoreboard: has what is not known scored after each change, and says what the change cost. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/scores/scoreboardview.h"

#include <QObject>

namespace headscope::gui {

class ScoreController : public QObject
{
    Q_OBJECT

public:
    ScoreController(WindowState& state, app::Door& door, widgets::ScoreboardView& board, QObject* parent);

private:
    void connectState();
    void connectBoard();
    void request(Side side);
    /// Of open models that have no scores and for which none are under way.
    void requestMissing();
    void arrived(Side side);
    void show();
    void showState();
    /// What the ablation on the screen cost; empty until every number is in.
    [[nodiscard]] QString sentence(Side side) const;

    WindowState& m_state;
    app::Door& m_door;
    widgets::ScoreboardView& m_board;
    bool m_verdictShown = false; ///< in the message bar
};

} // namespace headscope::gui
