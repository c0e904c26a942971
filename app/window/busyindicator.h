// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tells what the window waits for once it takes longer than a blink, with a button that stops it. GUI thread.

#include "app/backend/backendclient.h"
#include "widgets/frame/busystrip.h"

#include <QTimer>

namespace headscope::gui {

class BusyIndicator : public QObject
{
    Q_OBJECT

public:
    BusyIndicator(BackendClient& client, widgets::BusyStrip& strip, QObject* parent);

private:
    void refresh();

    struct Work {
        BackendClient::Kind kind = BackendClient::Kind::Model;
        qint64 done = 0;
        qint64 total = 0;
    };
    BackendClient& m_client;
    widgets::BusyStrip& m_strip;
    Work m_last;
    QTimer m_blink;
};

} // namespace headscope::gui
