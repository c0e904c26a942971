// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The chart of the joint cost of the top k heads, compared with k random heads. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/scores/charts.h"
#include "widgets/scores/runsview.h"

#include <QElapsedTimer>
#include <QObject>

#include <array>

namespace headscope::gui {

class RemovalController : public QObject
{
    Q_OBJECT

public:
    RemovalController(WindowState& state, app::Door& door, widgets::RankingChart& chart, widgets::RunsView& jobs,
                      QObject* parent);
    /// Measures for every open model that has been ranked.
    void start();

private:
    void connectJobs();
    void show();

    WindowState& m_state;
    app::Door& m_door;
    widgets::RankingChart& m_chart;
    widgets::RunsView& m_jobs;
    std::array<std::shared_ptr<const app::RemovalCurveReply>, 2> m_curves;
    QElapsedTimer m_clock;
};

} // namespace headscope::gui
