// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One head map: shows ablated, classified and selected heads, and applies the user's actions to the state. GUI thread.

#include "app/state/windowstate.h"
#include "widgets/heads/headmappanel.h"

#include <QObject>

namespace headscope::gui {

class HeadMapController : public QObject
{
    Q_OBJECT

public:
    HeadMapController(WindowState& state, Side side, widgets::HeadMapPanel& panel, QObject* parent);

private:
    void connectView();
    void connectPanel();
    void connectState();
    void change(const interventions::InterventionSet& set, const QString& what);
    [[nodiscard]] const SideState& now() const { return m_state.side(m_side); }
    void showModel();
    void showOff();
    void showHead();
    void showMetricChoices();
    [[nodiscard]] bool hasMetric(Side side, const QString& metric) const;
    void showMetric();
    void showMarks();

    WindowState& m_state;
    Side m_side;
    widgets::HeadMapPanel& m_panel;
};

} // namespace headscope::gui
