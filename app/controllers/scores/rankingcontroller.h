// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ranks heads by removing each, as a job that can be paused and stopped, or by a metric of the map; then shows the most
// important head. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/scores/runsview.h"

#include <QElapsedTimer>
#include <QObject>

#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace headscope::gui {

class RankingController : public QObject
{
    Q_OBJECT

public:
    RankingController(WindowState& state, app::Door& door, widgets::RunsView& jobs, QObject* parent);

    /// Ranks heads. Exact rankings and races run as a job; other methods are shown as the metric of the map.
    void rank(Side side, app::RankMethod method);
    /// In an exam no head is ranked.
    void setExam() { m_exam = true; }
    /// Measures heads whose included costs are shown, then calls `then`; immediately if there are none, never
    /// if it is stopped before the first head.
    void whenMeasured(std::function<void()> then);

private:
    struct Job {
        widgets::JobState shown;
        app::RankMethod method = app::RankMethod::Exact;
        std::optional<qint64> first; ///< heads done when the clock was started
        QElapsedTimer clock;
        bool asked = false;                          ///< by a person, who sees how sure it is
        bool again = false;                          ///< what comes with the program is not taken
        bool estimating = false;                     ///< the order is being estimated
        std::vector<interventions::HeadRef> order{}; ///< the heads worth measuring first, by an estimate
        std::string chosenIn{};                      ///< hash of the model in which the user has selected a head
    };
    void connectJobs();
    void begin(Side side);
    void start(Side side);
    void estimated(Side side, const std::vector<app::HeadValue>& losses);
    void progressed(Side side, qint64 done, qint64 total);
    void ended(Side side);
    [[nodiscard]] bool isShipped(Side side) const;
    void arrived(Side side, std::shared_ptr<const app::HeadCosts> heads);
    void lookAtMostImportant(Side side);
    [[nodiscard]] Job& job(Side side) { return m_jobs[indexOf(side)]; }

    WindowState& m_state;
    app::Door& m_door;
    widgets::RunsView& m_view;
    std::array<Job, 2> m_jobs;
    std::function<void()> m_whenMeasured;
    bool m_exam = false;
};

} // namespace headscope::gui
