// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: docks, actions, menus. Behaviour is Explorer's. GUI thread.

#include "app/gui/appearance.h"
#include "app/gui/busyindicator.h"
#include "app/gui/explorer.h"
#include "app/gui/tourguide.h"

#include <QMainWindow>
#include <QTimer>
#include <QUndoStack>

class QMenu;
class QMenuBar;
class QStackedWidget;
class QTabWidget;

namespace headscope::gui {

class ExperimentsDialog;
class FigureDesk;
class SessionMenu;

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
    [[nodiscard]] Explorer* explorer() const { return m_explorer; }
    [[nodiscard]] const Parts& parts() const { return m_parts; }
    [[nodiscard]] BackendClient* client() const { return m_client; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_state.undoStack(); }
    [[nodiscard]] WindowState* state() { return &m_state; }
    [[nodiscard]] TourGuide* guide() const { return m_guide; }
    /// "light", "dark" or "system", until the program ends.
    void setLook(const QString& look);
    /// For pictures: "continue", "removal", "flips", "kinds", "text=FILE", "tour=NAME".
    void act(const QString& what);
    /// Benchmark files are read from here from now on, and when the program starts again.
    void useDataFolder(const QString& folder);
    /// Whether the window was last closed as windows are; false after a crash.
    [[nodiscard]] static bool closedWell();
    /// Null until the dialog was opened once.
    [[nodiscard]] FigureDesk* figures() const { return m_figures; }
    [[nodiscard]] SessionMenu* sessionMenu() const { return m_sessionMenu; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildTop();
    void buildCentre();
    void buildDocks();
    void buildActions();
    void buildViewMenu();
    void buildHelpMenu();
    void buildWelcome();
    void fillWelcome();
    void connectTour();
    void connectPrompt();
    void openFolder(Side side);
    void openPaths(const QStringList& paths);
    void rememberSession(const QString& path);
    void chooseDataFolder();
    void saveChart(widgets::ThemedChart* chart);
    void explainFocus();
    void showRemoval();
    void resetLayout();
    void useSession(const QString& path, bool restore = true);
    void watchLayout();
    void keepLayout();
    void restoreLayout();
    void showExplorer(bool on);
    void openPath(const QString& path);
    void openText(const QString& path);
    void openFigures();
    void showExperiment(int index);
    void chooseTokenizer(Side side);
    void locateModel(Side side);

    WindowOptions m_options;
    WindowState m_state;
    Parts m_parts;
    BackendClient* m_client = nullptr;
    Explorer* m_explorer = nullptr;
    TourGuide* m_guide = nullptr;
    Appearance* m_appearance = nullptr;
    QTabWidget* m_charts = nullptr;
    FigureDesk* m_figures = nullptr;
    SessionMenu* m_sessionMenu = nullptr;
    QStackedWidget* m_stack = nullptr;
    QWidget* m_centre = nullptr;
    QMenuBar* m_menu = nullptr;
    QList<QDockWidget*> m_docks;
    QDockWidget* m_tour = nullptr;
    QByteArray m_defaultState;
    QByteArray m_explorerState; ///< while the welcome page is shown
    QByteArray m_layoutWanted;  ///< of the session, until the explorer is shown
    QTimer m_layoutTimer;
    ExperimentsDialog* m_experiments = nullptr; ///< made when first asked for
};

} // namespace headscope::gui
