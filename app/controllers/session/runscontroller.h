// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The list of runs: every state that was scored, to go back to, to name, to sort and to compare. What the session holds
// of them is read again whenever somebody has written to it. GUI thread.

#include "app/backend/session/runrequests.h"
#include "app/present/scores/runtable.h"
#include "app/state/windowstate.h"
#include "widgets/scores/runsview.h"
#include "widgets/scores/scoreboardview.h"

#include <QObject>

#include <vector>

namespace headscope::gui {

class RunsController : public QObject
{
    Q_OBJECT

public:
    RunsController(WindowState& state, app::SessionDoor& door, widgets::RunsView& view, widgets::ScoreboardView& board,
                   QObject* parent);

Q_SIGNALS:
    /// What changed between two states, task by task.
    void compared(const QString& first, const QString& second,
                  const std::vector<headscope::sessions::StateChange>& changes);

private:
    void connectView();
    void read();
    void take(const app::StoredRuns& stored);
    void addMissing(const app::StoredRuns& stored);
    void countChannels(Side side);
    void forget();
    void show();
    void remember(Side side);
    /// A run with a time is one that somebody asked for.
    void keepByHand(ListedRun& run);
    void keep(const ListedRun& run);
    void sort(const QList<qint64>& ids);
    void place(const QList<qint64>& ids);
    void restore(qint64 id);
    void compare(qint64 first, qint64 second);
    /// The scoreboard compares the two where both models are open.
    void compareOpen(const sessions::RunRecord& before, const sessions::RunRecord& after);
    void edit(qint64 id, std::string sessions::RunRecord::*field, const QString& words);
    [[nodiscard]] ListedRun* find(qint64 id);
    [[nodiscard]] ListedRun* find(const std::string& modelHash, const std::string& ablation);
    ListedRun& add(const sessions::RunRecord& record);

    WindowState& m_state;
    app::SessionDoor& m_door;
    widgets::RunsView& m_view;
    std::vector<ListedRun> m_runs;
    qint64 m_nextId = 0;
};

} // namespace headscope::gui
