// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of weights: updated while it is visible, for the shown head; and copying scores as a metric of the head map.
// GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/weightsview.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class WeightsController : public QObject
{
    Q_OBJECT

public:
    WeightsController(WindowState& state, app::Door& door, widgets::WeightsPage& page, QObject* parent);
    [[nodiscard]] std::shared_ptr<const app::WeightsReply> shown(Side side) const { return m_shown[indexOf(side)]; }

private:
    /// For a large model only at the user's request: the first analysis reads all weights.
    void refresh(Side side);
    void start(Side side);
    void show(Side side, const std::shared_ptr<const app::WeightsReply>& reply);

    WindowState& m_state;
    app::Door& m_door;
    widgets::WeightsPage& m_page;
    std::array<std::shared_ptr<const app::WeightsReply>, 2> m_shown; ///< null: nothing
};

} // namespace headscope::gui
