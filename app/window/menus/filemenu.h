// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The File menu: models, sessions, texts and the folder of benchmarks. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class FileOpener;
class SessionMenu;
class SettingsController;
class WindowSession;
class ExplorerPage;

class FileMenu : public QObject
{
    Q_OBJECT

public:
    FileMenu(QMenuBar& bar, FileOpener& opener, WindowSession& session, SettingsController& settings,
             ExplorerPage& page, QWidget* window);
    [[nodiscard]] SessionMenu* sessionMenu() const { return m_sessionMenu; }

Q_SIGNALS:
    void welcomeRequested();
    void modelsRequested();
    void getModelRequested();
    void benchmarksRequested();

private:
    SessionMenu* m_sessionMenu = nullptr;
};

} // namespace headscope::gui
