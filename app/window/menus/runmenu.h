// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Run menu: rankings, the removal chart, the continuation, samples, and stopping them. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::app {
class Door;
}

namespace headscope::gui {

class ExplorerPage;
class SettingsController;

class RunMenu : public QObject
{
    Q_OBJECT

public:
    RunMenu(QMenuBar& bar, ExplorerPage& page, app::Door& door, SettingsController& settings);

Q_SIGNALS:
    void removalRequested();
    void trustRequested();
};

} // namespace headscope::gui
