// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every job that takes longer than a moment as a line of the runs list: what, how much of it, how fast, how long still,
// and a button that stops it. Rankings and removal curves have lines of their own, with a pause. GUI thread.

#include "app/backend/door.h"
#include "widgets/scores/runsview.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <map>

namespace headscope::gui {

class JobsController : public QObject
{
    Q_OBJECT

public:
    /// What ends within a `moment` has no line.
    JobsController(app::Door& door, widgets::RunsView& jobs, QObject* parent,
                   std::chrono::milliseconds moment = std::chrono::seconds(2));

private:
    struct Running {
        widgets::JobState shown;
        qint64 first = 0;           ///< that was done when the clock was started
        QElapsedTimer clock, since; ///< of the rate; of the job
    };
    void progressed(const app::Lane& lane, qint64 done, qint64 total);
    void scored(Side side, const app::ScoreReply& reply);
    void refresh();

    app::Door& m_door;
    widgets::RunsView& m_view;
    std::chrono::milliseconds m_moment;
    std::map<app::Lane, Running> m_running;
    QTimer m_look;
};

} // namespace headscope::gui
