// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The main window: creates and arranges its parts, and shows either the welcome page or the explorer. GUI thread.

#include "app/backend/door.h"
#include "app/backend/session/sessiondoor.h"
#include "app/state/windowstate.h"
#include "app/window/windowoptions.h"
#include "app/window/windowparts.h"

#include <QMainWindow>

class QMenu;
class QMenuBar;
class QStackedWidget;

namespace headscope::gui {

class Appearance;
class BenchmarksController;
class CommandFinder;
class DockLayout;
class Explorer;
class ExperimentsPage;
class ExplorerPage;
class FigureDesk;
class FigureMenu;
class FileMenu;
class FileOpener;
class GetBenchmarkDialog;
class HelpMenu;
class LectureController;
class MenuButton;
class ModelDialogs;
class SessionMenu;
class SettingsController;
class TourGuide;
class PageDialog;
class TrustDialog;
class WelcomeController;
class WindowSession;

class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(const WindowOptions& options);
    ~MainWindow() override;
    /// Resizes the window, before it is first shown, for a screen with this available size: to its first size, or to
    /// the share of this screen that it covered of the one on which it was closed.
    void fitTo(const QSize& available);

    /// Opens these models at once instead of the welcome page.
    void openModels(const QString& a, const QString& b = {});
    [[nodiscard]] Explorer* explorer() const;
    [[nodiscard]] const Parts& parts() const;
    [[nodiscard]] app::Door* worker() const { return m_worker; }
    [[nodiscard]] BenchmarksController* benchmarks() const { return m_benchmarks; }
    [[nodiscard]] ModelDialogs* modelDialogs() const { return m_models; }
    /// Null before it was opened.
    [[nodiscard]] PageDialog* pageDialog() const { return m_pageDialog; }
    [[nodiscard]] FigureDesk* figures() const;
    [[nodiscard]] app::SessionDoor& door() { return *m_door; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_state.undoStack(); }
    [[nodiscard]] WindowState* state() { return &m_state; }
    [[nodiscard]] TourGuide* guide() const { return m_guide; }
    /// Shows the paper's experiments in place of the heads; `index` in the order of the menu.
    void showExperiment(int index);
    void showGallery();
    /// Adds a user's study; problems with the file are shown in the bottom line.
    void openStudy(const QString& file);
    [[nodiscard]] ExperimentsPage* experiments() const { return m_experiments; }
    /// Sets "light", "dark" or "system", until the program ends.
    void setLook(const QString& look);
    /// Performs an action listed by `headscope --help`, for pictures.
    void act(const QString& what);
    /// Returns whether the window was last closed normally; false after a crash.
    [[nodiscard]] static bool closedNormally();
    [[nodiscard]] SessionMenu* sessionMenu() const;
    [[nodiscard]] SettingsController* settings() const { return m_settings; }
    [[nodiscard]] CommandFinder* finder() const { return m_finder; }
    [[nodiscard]] LectureController* lecture() const { return m_lecture; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildFrame();
    void buildBottomLine();
    void buildGoMenu(QMenu& menu);
    void buildTools();
    void focusNextRegion();
    void buildMenus();
    void connectTour();
    void connectWelcome(HelpMenu& help);
    void refreshTitle();
    void showRemoval();
    void makeExperiments();
    void showExperiments();
    void updateSurroundings();
    void resumeExperiments();
    void trigger(const QString& command);
    void analyse(const QString& page, const QString& value);
    void showExplorer(bool on);
    void getBenchmark(const QString& task);
    void askForTrust();
    void exportPage();
    void offerPage();

    WindowOptions m_options;
    WindowState m_state;
    app::Door* m_worker = nullptr;
    app::SessionDoor* m_door = nullptr;
    ExplorerPage* m_page = nullptr;
    ExperimentsPage* m_experiments = nullptr; ///< created on first use
    QStackedWidget* m_stack = nullptr;
    QMenuBar* m_menu = nullptr;
    MenuButton* m_menuButton = nullptr;
    DockLayout* m_layout = nullptr;
    WindowSession* m_session = nullptr;
    FileOpener* m_opener = nullptr;
    TourGuide* m_guide = nullptr;
    Appearance* m_appearance = nullptr;
    SettingsController* m_settings = nullptr;
    BenchmarksController* m_benchmarks = nullptr;
    WelcomeController* m_welcome = nullptr;
    CommandFinder* m_finder = nullptr;
    LectureController* m_lecture = nullptr;
    FileMenu* m_fileMenu = nullptr;
    ModelDialogs* m_models = nullptr;
    GetBenchmarkDialog* m_getBenchmark = nullptr; ///< created on first use
    TrustDialog* m_trust = nullptr;               ///< likewise
    PageDialog* m_pageDialog = nullptr;           ///< likewise
    FigureMenu* m_figureMenu = nullptr;
    QList<QWidget*> m_regions; ///< the regions that F6 cycles through
};

} // namespace headscope::gui
