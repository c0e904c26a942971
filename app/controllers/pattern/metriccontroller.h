// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests the metrics of a head map from the worker, reads those of the user from files, and derives which heads
// gather and which aggregate. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"

#include <QObject>

#include <array>
#include <memory>

namespace headscope::gui {

class MetricController : public QObject
{
    Q_OBJECT

public:
    MetricController(WindowState& state, app::Door& door, QObject* parent);

    /// Colours the heads by the last column of a table; the others can be chosen.
    void addFile(Side side, const QString& path);
    /// Colours the heads of both models by their effect on the answer to the prompt.
    void rankOnPrompt();

private:
    void connectScores();
    /// Requests missing data for the metric of this side.
    void request(Side side);
    void find(Side side);

    WindowState& m_state;
    app::Door& m_door;
    std::array<std::shared_ptr<const app::HeadScores>, 2> m_ofTask; ///< for a sample of the ranked task, by side
    std::array<bool, 2> m_ranksPrompt{};                            ///< requested by the user: the end is reported
    std::array<std::size_t, 2> m_askedAt{};                         ///< heads in the ranking when scores were requested
};

} // namespace headscope::gui
