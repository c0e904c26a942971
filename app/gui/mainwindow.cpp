// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/mainwindow.h"

#include "app/gui/experimentsdialog.h"
#include "app/gui/figuredesk.h"
#include "app/gui/headactions.h"
#include "app/gui/sessionmenu.h"
#include "core/io/modelfolder.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStringDecoder>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::gui {

using widgets::MessageBar;

namespace {

QDockWidget* makeDock(QMainWindow* window, const QString& title, const char* name, QWidget* content,
                      Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, window);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(content);
    dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable
                      | QDockWidget::DockWidgetClosable);
    window->addDockWidget(area, dock);
    return dock;
}

/// A file that a person would not call a session.
bool isText(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == QLatin1String("txt") || suffix == QLatin1String("md");
}

} // namespace

bool MainWindow::closedWell()
{
    return !QSettings().value(QStringLiteral("window/open")).toBool();
}

MainWindow::MainWindow(const WindowOptions& options) : m_options(options)
{
    QSettings settings;
    if (m_options.backend.dataFolder.empty())
        m_options.backend.dataFolder = settings.value(QStringLiteral("data/folder")).toString().toStdString();
    setObjectName(QStringLiteral("HeadscopeWindow"));
    setWindowTitle(QStringLiteral("Headscope"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    m_client = new BackendClient(m_options.backend, this);
    buildTop();
    buildCentre();
    buildDocks();
    m_explorer = new Explorer(m_parts, *m_client, m_state, this);
    m_guide = new TourGuide(*m_explorer, *m_client, m_parts,
                            QString::fromStdString((options.backend.resources / "tours").string()), this);
    m_appearance = new Appearance(this);
    buildActions();
    buildWelcome();
    connectTour();
    connectPrompt();
    connect(m_explorer, &Explorer::modelShown, this, [this] { showExplorer(true); });
    connect(m_explorer, &Explorer::titleChanged, this,
            [this](const QString& title) { setWindowTitle(tr("%1 — Headscope").arg(title)); });
    connect(&m_explorer->controllers().messages, &MessageController::locateWanted, this, &MainWindow::locateModel);
    connect(&m_explorer->controllers().messages, &MessageController::tokenizerWanted, this,
            &MainWindow::chooseTokenizer);
    resize(1440, 900);
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    settings.setValue(QStringLiteral("window/open"), true);
    watchLayout();
    showExplorer(false);
    useSession(options.session, options.restore);
}

MainWindow::~MainWindow()
{
    m_state.undoStack().disconnect(this);
    delete m_explorer; // its controllers hear of the state, and of widgets that go after it
}

void MainWindow::buildTop()
{
    // Menu, prompt and messages in one column over everything: a message that goes away leaves no empty strip.
    m_parts.prompt = new widgets::PromptBar;
    m_parts.continuation = new widgets::ContinuationView;
    m_parts.messages = new MessageBar;
    m_parts.messages->hide();
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_menu = new QMenuBar;
    auto* busy = new widgets::BusyStrip;
    m_menu->setCornerWidget(busy);
    new BusyIndicator(*m_client, *busy, this); // owned by the window
    column->addWidget(m_menu);
    column->addWidget(m_parts.prompt);
    column->addWidget(m_parts.continuation);
    column->addWidget(m_parts.messages);
    setMenuWidget(top);
}

void MainWindow::buildCentre()
{
    m_parts.patterns = new widgets::PatternPage;
    m_parts.patternA = m_parts.patterns->view(Side::A);
    m_parts.patternB = m_parts.patterns->view(Side::B);
    m_parts.profile = new widgets::RowProfileView;
    auto* column = new QSplitter(Qt::Vertical);
    column->addWidget(m_parts.patterns);
    column->addWidget(m_parts.profile);
    column->setStretchFactor(0, 3);
    column->setStretchFactor(1, 1);
    column->setSizes({560, 190});
    column->setChildrenCollapsible(false);
    m_centre = column;
    m_stack = new QStackedWidget;
    m_parts.welcome = new widgets::WelcomePage;
    m_stack->addWidget(m_parts.welcome);
    m_stack->addWidget(m_centre);
    setCentralWidget(m_stack);
}

void MainWindow::buildDocks()
{
    m_parts.mapA = new widgets::HeadMapPanel(Side::A);
    m_parts.mapB = new widgets::HeadMapPanel(Side::B);
    m_parts.mapB->hide();
    m_parts.runs = new widgets::RunsView;
    m_parts.scores = new widgets::ScoreboardView;
    m_parts.flips = new widgets::FlipsView;
    m_parts.flips->hide();
    m_parts.chart = new widgets::KvChart;
    m_parts.removal = new widgets::RankingChart;
    m_parts.tour = new widgets::TourPanel;
    auto* charts = m_charts = new QTabWidget;
    charts->setDocumentMode(true);
    charts->addTab(m_parts.chart, tr("Dictionary size"));
    charts->addTab(m_parts.removal, tr("Heads removed"));
    charts->setAccessibleName(tr("Charts"));

    auto* maps = new QSplitter(Qt::Vertical);
    maps->addWidget(m_parts.mapA);
    maps->addWidget(m_parts.mapB);
    maps->setChildrenCollapsible(false);
    auto* board = new QSplitter(Qt::Vertical);
    board->addWidget(m_parts.scores);
    board->addWidget(m_parts.flips);
    board->setChildrenCollapsible(false);
    board->setStretchFactor(0, 3);
    board->setStretchFactor(1, 2);

    board->setMinimumWidth(400); // the names of the benchmarks beside their numbers

    auto* heads = makeDock(this, tr("Heads"), "heads", maps, Qt::LeftDockWidgetArea);
    auto* runs = makeDock(this, tr("Runs"), "runs", m_parts.runs, Qt::LeftDockWidgetArea);
    auto* scores = makeDock(this, tr("Scores"), "scores", board, Qt::RightDockWidgetArea);
    auto* chart = makeDock(this, tr("Charts"), "chart", charts, Qt::RightDockWidgetArea);
    m_tour = makeDock(this, tr("Tour"), "tour", m_parts.tour, Qt::BottomDockWidgetArea);
    m_tour->hide();
    m_docks = {heads, runs, chart, scores};
    connect(m_parts.scores, &widgets::ScoreboardView::flipsToggled, this, [this](bool open) {
        // Scores and flips share a dock: while both are read the charts make room.
        const int both = m_docks[3]->height() + m_docks[2]->height();
        resizeDocks({m_docks[3], m_docks[2]},
                    open ? QList<int>{both * 3 / 4, both / 4} : QList<int>{both * 11 / 20, both * 9 / 20},
                    Qt::Vertical);
    });
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

void MainWindow::buildActions()
{
    const auto add = [this](QMenu* menu, const QString& title, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    QMenu* file = m_menu->addMenu(tr("&File"));
    add(file, tr("&Welcome page"), {}, [this] { showExplorer(false); });
    add(file, tr("Open &model folder …"), QKeySequence::Open, [this] { openFolder(Side::A); });
    add(file, tr("Open model folder as &B …"), QKeySequence(tr("Ctrl+Shift+O")), [this] { openFolder(Side::B); });
    file->addSeparator();
    add(file, tr("&New session …"), {}, [this] {
        QString path = QFileDialog::getSaveFileName(this, tr("Keep what is done from now on in"), {},
                                                    tr("Headscope sessions (*.headscope)"));
        if (path.isEmpty())
            return;
        if (QFileInfo(path).suffix().isEmpty())
            path += QLatin1String(".headscope");
        openPath(path);
    });
    add(file, tr("Open &session …"), {}, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Open a session"), {}, tr("Headscope sessions (*.headscope)"));
        if (!path.isEmpty())
            openPath(path);
    });
    m_sessionMenu = new SessionMenu(*m_explorer, *m_parts.messages, *file, this);
    connect(m_sessionMenu, &SessionMenu::sessionWanted, this, [this](const QString& path) { useSession(path); });
    file->addSeparator();
    add(file, tr("Open a &text as the prompt …"), {}, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a text as the prompt"), {},
                                                          tr("Texts (*.txt *.md);;All files (*)"));
        if (!path.isEmpty())
            openText(path);
    });
    add(file, tr("Benchmark &data folder …"), {}, [this] { chooseDataFolder(); });
    file->addSeparator();
    add(file, tr("&Quit"), QKeySequence::Quit, [this] { close(); });

    QMenu* edit = m_menu->addMenu(tr("&Edit"));
    QAction* undo = m_state.undoStack().createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = m_state.undoStack().createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(tr("Ctrl+Y")), QKeySequence(tr("Ctrl+Shift+Z"))});
    edit->addActions({undo, redo});

    ExplorerControllers& controllers = m_explorer->controllers();
    new HeadActions(m_menu, m_state, controllers.models, controllers.metrics,
                    {*m_parts.patterns, {m_parts.mapA, m_parts.mapB}});

    QMenu* run = m_menu->addMenu(tr("&Run"));
    add(run, tr("&Rank all heads (ablate, measure, reinsert)"), QKeySequence(tr("F5")),
        [this] { m_explorer->rankHeads(m_explorer->activeSide()); });
    const auto rankBy = [this](app::RankMethod method) {
        return [this, method] { m_explorer->rankHeads(m_explorer->activeSide(), method); };
    };
    add(run, tr("First ten heads by a ra&ce"), QKeySequence(tr("Shift+F5")), rankBy(app::RankMethod::Race));
    add(run, tr("&Estimate all heads by gradients"), QKeySequence(tr("Ctrl+F5")), rankBy(app::RankMethod::Estimate));
    add(run, tr("Rank by &gather score"), {}, rankBy(app::RankMethod::Gather));
    add(run, tr("Rank by &aggregate score"), {}, rankBy(app::RankMethod::Aggregate));
    add(run, tr("Remove the top k heads, and k random &ones"), QKeySequence(tr("F6")), [this] { showRemoval(); });
    add(run, tr("&Stop"), QKeySequence(Qt::Key_Escape), [this] { m_client->stopAll(); });
    run->addSeparator();
    add(run, tr("&Continue the prompt"), QKeySequence(tr("Ctrl+Return")),
        [this] { m_explorer->controllers().continuation.start(); });
    // The bare brackets belong to a text box that has the focus; with Alt they work from there too.
    add(run, tr("&Previous sample"), {}, [this] {
        m_explorer->stepSample(-1);
    })->setShortcuts({QKeySequence(tr("[")), QKeySequence(tr("Alt+["))});
    add(run, tr("&Next sample"), {}, [this] {
        m_explorer->stepSample(1);
    })->setShortcuts({QKeySequence(tr("]")), QKeySequence(tr("Alt+]"))});

    QMenu* paper = m_menu->addMenu(tr("E&xperiments"));
    for (int i = 0; i < ExperimentsDialog::count(); ++i)
        add(paper, ExperimentsDialog::title(i), {}, [this, i] { showExperiment(i); });

    QMenu* figure = m_menu->addMenu(tr("Fi&gure"));
    add(figure, tr("&Figure for a paper or a talk …"), QKeySequence(tr("Ctrl+E")), [this] { openFigures(); });
    add(figure, tr("&Keep the maps on the screen in the session"), QKeySequence(tr("Ctrl+Shift+E")),
        [this] { m_explorer->keepPatterns(); });
    add(figure, tr("Save the &chart …"), {},
        [this] { saveChart(static_cast<widgets::ThemedChart*>(m_charts->currentWidget())); });

    buildViewMenu();

    QMenu* window = m_menu->addMenu(tr("&Window"));
    for (QDockWidget* dock : m_docks)
        window->addAction(dock->toggleViewAction());
    window->addAction(m_tour->toggleViewAction());
    window->addSeparator();
    add(window, tr("&Reset the layout"), {}, [this] { resetLayout(); });

    buildHelpMenu();
    connect(m_parts.chart, &widgets::ThemedChart::saveRequested, this, [this] { saveChart(m_parts.chart); });
    connect(m_parts.removal, &widgets::ThemedChart::saveRequested, this, [this] { saveChart(m_parts.removal); });
}

void MainWindow::showExperiment(int index)
{
    if (!m_experiments)
        m_experiments = new ExperimentsDialog(QCoreApplication::applicationDirPath() + QStringLiteral("/headscope-cli"),
                                              m_options.session, this);
    if (!m_experiments->running())
        m_experiments->choose(index);
    m_experiments->show();
    m_experiments->raise();
}

void MainWindow::openModels(const QString& a, const QString& b)
{
    m_explorer->openModel(Side::A, a);
    if (!b.isEmpty())
        m_explorer->openModel(Side::B, b);
}

void MainWindow::openPath(const QString& path)
{
    if (QFileInfo(path).isDir()) {
        openModels(path);
    } else if (isText(path)) {
        openText(path);
    } else {
        useSession(path);
    }
}

void MainWindow::openText(const QString& path)
{
    constexpr qint64 kLongest = 4 << 20; // bytes; no model here reads more
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        m_parts.messages->showMessage(MessageBar::Kind::Error,
                                      tr("%1 can not be read: %2.").arg(path, file.errorString()));
        return;
    }
    QStringDecoder utf8(QStringDecoder::Utf8);
    const QString text = utf8(file.read(kLongest));
    if (utf8.hasError() || file.size() > kLongest) {
        m_parts.messages->showMessage(MessageBar::Kind::Error, tr("%1 is no UTF-8 text of at most 4 MB.").arg(path));
        return;
    }
    m_explorer->usePrompt({.text = text.toStdString()});
    m_parts.messages->showMessage(MessageBar::Kind::Info,
                                  tr("The prompt is the text of %1.").arg(QFileInfo(path).fileName()));
}

void MainWindow::locateModel(Side side)
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Where is the model?"));
    if (!folder.isEmpty())
        m_explorer->openModel(side, folder);
}

void MainWindow::chooseTokenizer(Side side)
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Which tokenizer does the model use?"), {},
                                                      tr("Tokenizers (tokenizer.json vocab.json);;All files (*)"));
    if (!file.isEmpty())
        m_explorer->openWithTokenizer(side, file);
}

void MainWindow::openFigures()
{
    if (!m_figures)
        m_figures = new FigureDesk(*m_explorer, this);
    m_figures->open();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/open"), false);
    if (m_stack->currentWidget() == m_centre)
        m_explorerState = saveState();
    if (!m_explorerState.isEmpty())
        settings.setValue(QStringLiteral("window/layout"), m_explorerState);
    keepLayout();
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
    openPaths(paths);
}

} // namespace headscope::gui
