// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows every longer job as a line in the list of runs: name, progress, rate, remaining time, and a stop button.
// Rankings and removal curves have lines of their own, with a pause button. GUI thread.

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
    /// Jobs that end within `moment` get no line.
    JobsController(app::Door& door, widgets::RunsView& jobs, QObject* parent,
                   std::chrono::milliseconds moment = std::chrono::seconds(2));

private:
    struct Running {
        widgets::JobState shown;
        qint64 first = 0;           ///< amount done when the clock was started
        QElapsedTimer clock, since; ///< for the rate; of the job
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
