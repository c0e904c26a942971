// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The chart of KV retrieval against dictionary size, measured after the scores. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/scores/charts.h"

#include <QObject>

namespace headscope::gui {

class CurveController : public QObject
{
    Q_OBJECT

public:
    CurveController(WindowState& state, app::Door& door, widgets::KvChart& chart, QObject* parent);

private:
    void request(Side side);
    void show();

    WindowState& m_state;
    app::Door& m_door;
    widgets::KvChart& m_chart;
};

} // namespace headscope::gui
