// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples with changed answers, for the active side and the chosen benchmark; for open models. GUI
// thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/scores/flipsview.h"
#include "widgets/scores/scoreboardview.h"

#include <QObject>

namespace headscope::gui {

class FlipsController : public QObject
{
    Q_OBJECT

public:
    FlipsController(WindowState& state, app::Door& door, widgets::FlipsView& view, widgets::ScoreboardView& board,
                    QObject* parent);

Q_SIGNALS:
    void sampleWanted(const QString& task, int index);

private:
    void request();
    void clear();
    void arrived(Side side, const QString& task, const std::vector<app::FlipRow>& rows);

    WindowState& m_state;
    app::Door& m_door;
    widgets::FlipsView& m_view;
    widgets::ScoreboardView& m_board; ///< its button shows their number
};

} // namespace headscope::gui
