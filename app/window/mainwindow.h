// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: makes its parts, puts them together, and shows either the welcome page or the explorer. GUI thread.

#include "app/backend/backendclient.h"
#include "app/gui/parts.h"
#include "app/state/windowstate.h"

#include <QMainWindow>

class QMenuBar;
class QStackedWidget;

namespace headscope::gui {

class Appearance;
class DockLayout;
class Explorer;
class ExplorerPage;
class FigureDesk;
class FigureMenu;
class FileMenu;
class FileOpener;
class SessionMenu;
class SettingsController;
class TourGuide;
class WelcomeController;
class WindowSession;

struct WindowOptions {
    app::BackendOptions backend;
    QString session;     ///< file; what is done is kept there
    bool restore = true; ///< open what the session shows; else it is only offered on the welcome page
};

class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(const WindowOptions& options);
    ~MainWindow() override;

    /// Opens these at once instead of the welcome page.
    void openModels(const QString& a, const QString& b = {});
    [[nodiscard]] Explorer* explorer() const;
    [[nodiscard]] const Parts& parts() const;
    [[nodiscard]] BackendClient* client() const { return m_client; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_state.undoStack(); }
    [[nodiscard]] WindowState* state() { return &m_state; }
    [[nodiscard]] TourGuide* guide() const { return m_guide; }
    /// "light", "dark" or "system", until the program ends.
    void setLook(const QString& look);
    /// For pictures: "continue", "removal", "flips", "kinds", "text=FILE", "tour=NAME".
    void act(const QString& what);
    /// Whether the window was last closed as windows are; false after a crash.
    [[nodiscard]] static bool closedWell();
    /// Null until the dialog was opened once.
    [[nodiscard]] FigureDesk* figures() const;
    [[nodiscard]] SessionMenu* sessionMenu() const;
    [[nodiscard]] SettingsController* settings() const { return m_settings; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildFrame();
    void buildMenus();
    void connectTour();
    void refreshTitle();
    void showRemoval();
    void showExplorer(bool on);

    WindowOptions m_options;
    WindowState m_state;
    BackendClient* m_client = nullptr;
    ExplorerPage* m_page = nullptr;
    QStackedWidget* m_stack = nullptr;
    QMenuBar* m_menu = nullptr;
    DockLayout* m_layout = nullptr;
    WindowSession* m_session = nullptr;
    FileOpener* m_opener = nullptr;
    TourGuide* m_guide = nullptr;
    Appearance* m_appearance = nullptr;
    SettingsController* m_settings = nullptr;
    WelcomeController* m_welcome = nullptr;
    FileMenu* m_fileMenu = nullptr;
    FigureMenu* m_figureMenu = nullptr;
};

} // namespace headscope::gui
