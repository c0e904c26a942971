// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: docks, actions, menus. Behaviour is Explorer's. GUI thread.

#include "app/gui/explorer.h"

#include <QMainWindow>
#include <QUndoStack>

class QStackedWidget;
class QMenuBar;

namespace headscope::gui {

struct WindowOptions {
    app::BackendOptions backend;
    QString session; ///< file; empty: the person's current session
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
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildTop();
    void buildCentre();
    void buildDocks();
    void buildActions();
    void buildWelcome();
    void resetLayout();
    void showExplorer(bool on);
    void openPath(const QString& path);
    void saveFigure();

    WindowOptions m_options;
    QUndoStack m_undo;
    Parts m_parts;
    BackendClient* m_client = nullptr;
    Explorer* m_explorer = nullptr;
    QStackedWidget* m_stack = nullptr;
    QWidget* m_centre = nullptr;
    QMenuBar* m_menu = nullptr;
    QList<QDockWidget*> m_docks;
    QByteArray m_defaultState;
};

} // namespace headscope::gui
