// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scoreboard: requests unknown scores after each change, and summarizes the cost of the change. GUI thread.

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
    /// Requests scores for open models that have none and for which none are being computed.
    void requestMissing();
    void arrived(Side side);
    void show();
    void showState();
    /// Returns the cost of the current ablation; empty until every score is known.
    [[nodiscard]] QString sentence(Side side) const;

    WindowState& m_state;
    app::Door& m_door;
    widgets::ScoreboardView& m_board;
    bool m_verdictShown = false; ///< in the message bar
    Side m_shown = Side::A;      ///< side whose rows the scoreboard shows
};

} // namespace headscope::gui
