// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: makes its parts, puts them together, and shows either the welcome page or the explorer. GUI thread.

#include "app/backend/door.h"
#include "app/backend/session/sessiondoor.h"
#include "app/state/windowstate.h"
#include "app/window/windowparts.h"
#include "core/hub/hubsettings.h"

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

struct WindowOptions {
    app::ModelsOptions backend;
    QString session;     ///< file; what is done is kept there
    bool restore = true; ///< open what the session shows; else it is only offered on the welcome page
    int named = 0;       ///< models that were named beside the session and are shown in place of its own
    hub::HubSettings hub = hub::HubSettings::fromEnvironment();
};

class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(const WindowOptions& options);
    ~MainWindow() override;
    /// Resizes the window, before it is first shown, for a screen with this available size: to its first size, or to
    /// the part of this screen that it covered of the one where it was closed.
    void fitTo(const QSize& available);

    /// Opens these at once instead of the welcome page.
    void openModels(const QString& a, const QString& b = {});
    [[nodiscard]] Explorer* explorer() const;
    [[nodiscard]] const Parts& parts() const;
    [[nodiscard]] app::Door* worker() const { return m_worker; }
    [[nodiscard]] BenchmarksController* benchmarks() const { return m_benchmarks; }
    [[nodiscard]] ModelDialogs* modelDialogs() const { return m_models; }
    /// Null until they were opened once.
    [[nodiscard]] GetBenchmarkDialog* getBenchmarkDialog() const { return m_getBenchmark; }
    [[nodiscard]] TrustDialog* trustDialog() const { return m_trust; }
    [[nodiscard]] PageDialog* pageDialog() const { return m_pageDialog; }
    [[nodiscard]] FigureDesk* figures() const;
    [[nodiscard]] app::SessionDoor& door() { return *m_door; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_state.undoStack(); }
    [[nodiscard]] WindowState* state() { return &m_state; }
    [[nodiscard]] TourGuide* guide() const { return m_guide; }
    /// The paper's experiments in place of the heads; the entry as the menu counts it.
    void showExperiment(int index);
    void showGallery();
    /// A user's study beside them; what is wrong with the file is said in the bottom line.
    void openStudy(const QString& file);
    [[nodiscard]] ExperimentsPage* experiments() const { return m_experiments; }
    /// "light", "dark" or "system", until the program ends.
    void setLook(const QString& look);
    /// For pictures: an action as `headscope --help` lists them.
    void act(const QString& what);
    /// Whether the window was last closed as windows are; false after a crash.
    [[nodiscard]] static bool closedWell();
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
    void goOnWithExperiments();
    void trigger(const QString& command);
    void analyse(const QString& page, const QString& value);
    void showExplorer(bool on);
    void getBenchmark(const QString& task);
    void askForTrust();
    void exportPage();

    WindowOptions m_options;
    WindowState m_state;
    app::Door* m_worker = nullptr;
    app::SessionDoor* m_door = nullptr;
    ExplorerPage* m_page = nullptr;
    ExperimentsPage* m_experiments = nullptr; ///< made when first asked for
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
    GetBenchmarkDialog* m_getBenchmark = nullptr; ///< made when first asked for
    TrustDialog* m_trust = nullptr;               ///< the same
    PageDialog* m_pageDialog = nullptr;           ///< the same
    FigureMenu* m_figureMenu = nullptr;
    QList<QWidget*> m_regions; ///< what F6 goes through
};

} // namespace headscope::gui
