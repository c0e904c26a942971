// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The list of runs: every scored state, to be restored, named, sorted and compared. Runs are read again from the
// session whenever another program has written to it. GUI thread.

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
    /// The changes between two states, task by task.
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
    /// Stores a run as requested by the user, which is one with a time.
    void keepByHand(ListedRun& run);
    void keep(const ListedRun& run);
    void sort(const QList<qint64>& ids);
    void place(const QList<qint64>& ids);
    void restore(qint64 id);
    void compare(qint64 first, qint64 second);
    /// Compares the two on the scoreboard if both models are open.
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
