// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mainwindow.h"

#include "app/gui/explorer.h"
#include "app/gui/headactions.h"
#include "app/present/windowtitle.h"
#include "app/window/appearance.h"
#include "app/window/busyindicator.h"
#include "app/window/docklayout.h"
#include "app/window/explorerpage.h"
#include "app/window/fileopener.h"
#include "app/window/menus/entry.h"
#include "app/window/menus/experimentsmenu.h"
#include "app/window/menus/figuremenu.h"
#include "app/window/menus/filemenu.h"
#include "app/window/menus/helpmenu.h"
#include "app/window/menus/runmenu.h"
#include "app/window/menus/viewmenu.h"
#include "app/window/prompthistory.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/tours/tourguide.h"
#include "app/window/welcomecontroller.h"
#include "app/window/windowsession.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

namespace headscope::gui {

bool MainWindow::closedWell()
{
    return !QSettings().value(QStringLiteral("window/open")).toBool();
}

MainWindow::MainWindow(const WindowOptions& options) : m_options(options)
{
    setObjectName(QStringLiteral("HeadscopeWindow"));
    setAcceptDrops(true);
    m_client = new BackendClient(m_options.backend, this);
    m_page = new ExplorerPage(*m_client, m_state);
    buildFrame();
    const std::filesystem::path& resources = m_options.backend.resources;
    m_layout = new DockLayout(*this, *m_page);
    m_session = new WindowSession(*explorer(), *m_layout, this);
    m_opener = new FileOpener(*explorer(), *parts().messages, this);
    m_guide =
        new TourGuide(*explorer(), *m_client, parts(), QString::fromStdString((resources / "tours").string()), this);
    m_appearance = new Appearance(this);
    m_settings =
        new SettingsController(m_options.backend, *m_client, *explorer(), *m_appearance, *parts().messages, this);
    buildMenus();
    m_welcome = new WelcomeController(*parts().welcome, *m_opener, *explorer(), *m_guide, resources / "models", this);
    new PromptHistory(*parts().prompt, this); // owned by the window
    connectTour();
    connect(m_opener, &FileOpener::sessionWanted, m_session, [this](const QString& path) { m_session->use(path); });
    connect(explorer(), &Explorer::modelShown, this, [this] { showExplorer(true); });
    connect(&m_state, &WindowState::modelChanged, this, &MainWindow::refreshTitle);
    connect(m_session, &WindowSession::changed, this, &MainWindow::refreshTitle);
    resize(1440, 900);
    QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    settings.setValue(QStringLiteral("window/open"), true);
    showExplorer(false);
    m_session->use(options.session, options.restore);
}

MainWindow::~MainWindow()
{
    m_state.disconnect(this);
    m_state.undoStack().disconnect(this);
    delete explorer(); // its controllers hear of the state, and of widgets that go after it
}

// Menu, prompt and messages in one column over everything: a message that goes away leaves no empty strip.
void MainWindow::buildFrame()
{
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_menu = new QMenuBar;
    auto* busy = new widgets::BusyStrip;
    m_menu->setCornerWidget(busy);
    new BusyIndicator(*m_client, *busy, this); // owned by the window
    column->addWidget(m_menu);
    column->addWidget(parts().prompt);
    column->addWidget(parts().continuation);
    column->addWidget(parts().messages);
    setMenuWidget(top);
    m_stack = new QStackedWidget;
    m_stack->addWidget(parts().welcome);
    m_stack->addWidget(m_page);
    setCentralWidget(m_stack);
}

void MainWindow::buildMenus()
{
    m_fileMenu = new FileMenu(*m_menu, *m_opener, *m_session, *m_settings, *m_page, this);
    connect(m_fileMenu, &FileMenu::welcomeRequested, this, [this] { showExplorer(false); });
    QMenu* edit = m_menu->addMenu(tr("&Edit"));
    QAction* undo = m_state.undoStack().createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = m_state.undoStack().createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(tr("Ctrl+Y")), QKeySequence(tr("Ctrl+Shift+Z"))});
    edit->addActions({undo, redo});
    ExplorerControllers& controllers = explorer()->controllers();
    new HeadActions(m_menu, m_state, controllers.models, controllers.metrics,
                    {*parts().patterns, {parts().mapA, parts().mapB}});
    auto* run = new RunMenu(*m_menu, *m_page, *m_client);
    connect(run, &RunMenu::removalRequested, this, &MainWindow::showRemoval);
    new ExperimentsMenu(*m_menu, *m_session, this);
    m_figureMenu = new FigureMenu(*m_menu, *m_page, this);
    new ViewMenu(*m_menu, *m_appearance);
    QMenu* window = m_menu->addMenu(tr("&Window"));
    m_layout->addTo(*window);
    window->addSeparator();
    addEntry(*window, this, tr("&Reset the layout"), {}, [this] { m_layout->reset(); });
    new HelpMenu(*m_menu, *m_guide, *parts().messages, this);
}

void MainWindow::connectTour()
{
    connect(m_guide, &TourGuide::opened, m_layout, [this] { m_layout->setTouring(true); });
    connect(m_guide, &TourGuide::closed, m_layout, [this] { m_layout->setTouring(false); });
    connect(m_guide, &TourGuide::continueRequested, &explorer()->controllers().continuation,
            qOverload<>(&ContinuationController::start));
    connect(m_guide, &TourGuide::removalRequested, this, &MainWindow::showRemoval);
}

Explorer* MainWindow::explorer() const
{
    return m_page->explorer();
}

const Parts& MainWindow::parts() const
{
    return m_page->parts();
}

FigureDesk* MainWindow::figures() const
{
    return m_figureMenu->desk();
}

SessionMenu* MainWindow::sessionMenu() const
{
    return m_fileMenu->sessionMenu();
}

void MainWindow::openModels(const QString& a, const QString& b)
{
    m_opener->openModels(a, b);
}

void MainWindow::setLook(const QString& look)
{
    m_appearance->preview(look == QLatin1String("dark")    ? Appearance::Look::Dark
                          : look == QLatin1String("light") ? Appearance::Look::Light
                                                           : Appearance::Look::System);
}

void MainWindow::act(const QString& what)
{
    const QString name = what.section(QLatin1Char('='), 0, 0);
    const QString value = what.section(QLatin1Char('='), 1);
    if (name == QLatin1String("continue"))
        explorer()->controllers().continuation.start();
    else if (name == QLatin1String("removal"))
        showRemoval();
    else if (name == QLatin1String("flips"))
        parts().scores->setFlipsOpen(true);
    else if (name == QLatin1String("kinds"))
        explorer()->compareKinds();
    else if (name == QLatin1String("text"))
        m_opener->openText(value);
    else if (name == QLatin1String("tour"))
        m_guide->open(value);
}

void MainWindow::showExplorer(bool on)
{
    const bool was = m_stack->currentWidget() == m_page;
    if (on) {
        m_stack->setCurrentWidget(m_page);
        parts().prompt->show();
        m_layout->showAll();
        return;
    }
    if (was)
        m_welcome->fill();
    m_layout->hideAll();
    m_stack->setCurrentWidget(parts().welcome);
    parts().prompt->hide();
    parts().continuation->hide();
}

void MainWindow::showRemoval()
{
    m_layout->showCharts();
    m_page->charts()->setCurrentWidget(parts().removal);
    explorer()->controllers().removal.start();
}

void MainWindow::refreshTitle()
{
    const auto nameOf = [this](Side side) {
        return m_state.hasModel(side) ? QString::fromStdString(m_state.side(side).model->name) : QString();
    };
    setWindowTitle(gui::windowTitle(m_session->path(), nameOf(Side::A), nameOf(Side::B)));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/open"), false);
    m_layout->remember();
    m_session->keepLayout();
    m_client->stopAll();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    m_opener->openPaths(paths);
}

} // namespace headscope::gui
