// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ranks heads by removing each, as a job that can be paused and stopped, or by what colours the map; then looks at the
// head that matters. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/scores/runsview.h"

#include <QElapsedTimer>
#include <QObject>

#include <array>
#include <memory>
#include <optional>

namespace headscope::gui {

class RankingController : public QObject
{
    Q_OBJECT

public:
    RankingController(WindowState& state, app::Door& door, widgets::RunsView& jobs, QObject* parent);

    /// Exact rankings and races run as a job; the others are shown as what the map's colours mean.
    void rank(Side side, app::RankMethod method);

private:
    struct Job {
        widgets::JobState shown;
        app::RankMethod method = app::RankMethod::Exact;
        std::optional<qint64> first; ///< heads that were done when the clock was started
        QElapsedTimer clock;
        bool asked = false;                          ///< by a person, who sees how sure it is
        bool estimating = false;                     ///< the order is being estimated
        std::vector<interventions::HeadRef> order{}; ///< what an estimate says is worth measuring first
        std::string chosenIn{};                      ///< hash of the model of which somebody looks at a head
    };
    void connectJobs();
    void begin(Side side);
    void start(Side side);
    void estimated(Side side, const std::vector<app::HeadValue>& losses);
    void progressed(Side side, qint64 done, qint64 total);
    void ended(Side side);
    void arrived(Side side, std::shared_ptr<const app::HeadCosts> heads);
    void lookAtMostImportant(Side side);
    [[nodiscard]] Job& job(Side side) { return m_jobs[indexOf(side)]; }

    WindowState& m_state;
    app::Door& m_door;
    widgets::RunsView& m_view;
    std::array<Job, 2> m_jobs;
};

} // namespace headscope::gui
