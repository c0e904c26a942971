// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The actions on heads and comparisons, each created once with its shortcut, in the menus Heads and Compare. GUI
// thread.

#include "app/controllers/models/modelcontroller.h"
#include "app/controllers/pattern/metriccontroller.h"
#include "app/state/windowstate.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/pattern/card/patternpage.h"

#include <array>

class QMenu;
class QMenuBar;

namespace headscope::gui {

class HeadActions : public QObject
{
    Q_OBJECT

public:
    /// The widgets whose own actions are also in the menus.
    struct Widgets {
        widgets::PatternPage& patterns;
        std::array<widgets::HeadMapPanel*, 2> maps;
    };
    HeadActions(QMenuBar* bar, WindowState& state, ModelController& models, MetricController& metrics,
                const Widgets& widgets);

private:
    void buildHeads(QMenu* menu);
    void buildAblations(QMenu* menu);
    void buildCompare(QMenu* menu);
    void buildViews(QMenu* menu);
    void readMetricFile(Side side);
    [[nodiscard]] widgets::HeadMapPanel* activeMap() const { return m_widgets.maps[indexOf(m_state.activeSide())]; }

    WindowState& m_state;
    ModelController& m_models;
    MetricController& m_metrics;
    Widgets m_widgets;
};

} // namespace headscope::gui
