// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of probes: every head on probe sequences at the user's request; labels by a threshold, there and in the head
// maps. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/why/probepage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class ProbeController : public QObject
{
    Q_OBJECT

public:
    using Maps = std::array<widgets::HeadMapPanel*, 2>;
    ProbeController(WindowState& state, app::Door& door, widgets::ProbePage& page, const Maps& maps, QObject* parent);

    /// Shows results from a session or a new measurement.
    void show(Side side, const std::shared_ptr<const app::ProbeReply>& reply);
    [[nodiscard]] std::shared_ptr<const app::ProbeReply> shown(Side side) const { return m_shown[indexOf(side)]; }

private:
    void start();
    void startAtOnce();
    void forget(Side side);
    void refresh(Side side);
    static void showHeads(widgets::ProbeView& view, const app::ProbeReply& reply,
                          const std::shared_ptr<const app::ModelSummary>& model, double threshold);

    WindowState& m_state;
    app::Door& m_door;
    widgets::ProbePage& m_page;
    Maps m_maps;
    std::array<std::shared_ptr<const app::ProbeReply>, 2> m_shown; ///< null: nothing
};

} // namespace headscope::gui
