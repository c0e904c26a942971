// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows the work the window waits for, if it takes longer than a moment, with a stop button. GUI thread.

#include "app/backend/door.h"
#include "widgets/frame/busystrip.h"

#include <QTimer>

namespace headscope::gui {

class BusyIndicator : public QObject
{
    Q_OBJECT

public:
    BusyIndicator(app::Door& door, widgets::BusyStrip& strip, QObject* parent);

private:
    void refresh();

    struct Work {
        app::Lane lane;
        qint64 done = 0;
        qint64 total = 0;
    };
    app::Door& m_door;
    widgets::BusyStrip& m_strip;
    Work m_last{app::Lane::of<app::OpenModelRequest>(Side::A)};
    QTimer m_blink;
};

} // namespace headscope::gui
