// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Run: rankings, the removal chart, the continuation, samples, and the stop of it all. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class BackendClient;
class ExplorerPage;
class SettingsController;

class RunMenu : public QObject
{
    Q_OBJECT

public:
    RunMenu(QMenuBar& bar, ExplorerPage& page, BackendClient& client, SettingsController& settings);

Q_SIGNALS:
    void removalRequested();
    void trustRequested();
};

} // namespace headscope::gui
