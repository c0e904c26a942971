// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/mainwindow.h"

#include "app/gui/headactions.h"
#include "app/gui/patternpresenters.h"
#include "core/io/modelfolder.h"
#include "widgets/figurerenderer.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWhatsThis>

namespace headscope::gui {

using widgets::MessageBar;

namespace {

QDockWidget* makeDock(QMainWindow* window, const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, window);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(content);
    dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable | QDockWidget::DockWidgetClosable);
    window->addDockWidget(area, dock);
    return dock;
}

} // namespace

MainWindow::MainWindow(const WindowOptions& options) : m_options(options)
{
    setObjectName(QStringLiteral("HeadscopeWindow"));
    setWindowTitle(QStringLiteral("Headscope"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    m_client = new BackendClient(options.backend, this);
    buildTop();
    buildCentre();
    buildDocks();
    m_explorer = new Explorer(m_parts, *m_client, m_undo, this);
    buildActions();
    buildWelcome();
    connect(m_explorer, &Explorer::modelShown, this, [this] { showExplorer(true); });
    connect(m_explorer, &Explorer::titleChanged, this, [this](const QString& title) { setWindowTitle(tr("%1 — Headscope").arg(title)); });
    connect(m_parts.messages, &MessageBar::actionTriggered, this, [this](const QString& id) {
        if (id == QLatin1String("undo"))
            m_undo.undo();
    });
    resize(1440, 900);
    QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    showExplorer(false);
    m_explorer->openSession(options.session);
}

MainWindow::~MainWindow() { m_undo.disconnect(this); }

void MainWindow::buildTop()
{
    // Menu, prompt and messages in one column over everything: a message that goes away leaves no empty strip.
    m_parts.prompt = new widgets::PromptBar;
    m_parts.messages = new MessageBar;
    m_parts.messages->hide();
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_menu = new QMenuBar;
    column->addWidget(m_menu);
    column->addWidget(m_parts.prompt);
    column->addWidget(m_parts.messages);
    setMenuWidget(top);
}

void MainWindow::buildCentre()
{
    m_parts.patterns = new widgets::PatternPage;
    m_parts.patternA = m_parts.patterns->view(widgets::Side::A);
    m_parts.patternB = m_parts.patterns->view(widgets::Side::B);
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
    m_parts.mapA = new widgets::HeadMapPanel(widgets::Side::A);
    m_parts.mapB = new widgets::HeadMapPanel(widgets::Side::B);
    m_parts.mapB->hide();
    m_parts.runs = new widgets::RunsView;
    m_parts.scores = new widgets::ScoreboardView;
    m_parts.flips = new widgets::FlipsView;
    m_parts.flips->hide();
    m_parts.chart = new widgets::KvChart;

    auto* maps = new QSplitter(Qt::Vertical);
    maps->addWidget(m_parts.mapA);
    maps->addWidget(m_parts.mapB);
    maps->setChildrenCollapsible(false);
    auto* board = new QSplitter(Qt::Vertical);
    board->addWidget(m_parts.scores);
    board->addWidget(m_parts.flips);
    board->setChildrenCollapsible(false);

    auto* heads = makeDock(this, tr("Heads"), "heads", maps, Qt::LeftDockWidgetArea);
    auto* runs = makeDock(this, tr("Runs"), "runs", m_parts.runs, Qt::LeftDockWidgetArea);
    auto* scores = makeDock(this, tr("Scores"), "scores", board, Qt::RightDockWidgetArea);
    auto* chart = makeDock(this, tr("KV-Retrieval against dictionary size"), "chart", m_parts.chart, Qt::RightDockWidgetArea);
    m_docks = {heads, runs, chart, scores};
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
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
    add(file, tr("Open &model folder …"), QKeySequence::Open, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a model folder"));
        if (!folder.isEmpty())
            m_explorer->openModel(Slot::A, folder);
    });
    add(file, tr("Open model folder as &B …"), QKeySequence(tr("Ctrl+Shift+O")), [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a model folder as B"));
        if (!folder.isEmpty())
            m_explorer->openModel(Slot::B, folder);
    });
    add(file, tr("Open &session …"), {}, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a session"), {}, tr("Headscope sessions (*.headscope)"));
        if (!path.isEmpty())
            openPath(path);
    });
    file->addSeparator();
    add(file, tr("&Quit"), QKeySequence::Quit, [this] { close(); });

    QMenu* edit = m_menu->addMenu(tr("&Edit"));
    QAction* undo = m_undo.createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = m_undo.createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(tr("Ctrl+Y")), QKeySequence::Redo});
    edit->addActions({undo, redo});

    new HeadActions(m_menu, m_parts, *m_explorer);

    QMenu* run = m_menu->addMenu(tr("&Run"));
    add(run, tr("&Rank all heads (ablate, measure, reinsert)"), QKeySequence(tr("F5")), [this] { m_explorer->rankHeads(m_explorer->activeSlot()); });
    const auto rankBy = [this](app::RankMethod method) { return [this, method] { m_explorer->rankHeads(m_explorer->activeSlot(), method); }; };
    add(run, tr("First ten heads by a ra&ce"), QKeySequence(tr("Shift+F5")), rankBy(app::RankMethod::Race));
    add(run, tr("&Estimate all heads by gradients"), QKeySequence(tr("Ctrl+F5")), rankBy(app::RankMethod::Estimate));
    add(run, tr("Rank by &gather score"), {}, rankBy(app::RankMethod::Gather));
    add(run, tr("Rank by &aggregate score"), {}, rankBy(app::RankMethod::Aggregate));
    add(run, tr("&Stop"), QKeySequence(Qt::Key_Escape), [this] { m_client->stopAll(); });
    run->addSeparator();
    add(run, tr("&Previous sample"), QKeySequence(tr("Alt+[")), [this] { m_explorer->stepSample(-1); });
    add(run, tr("&Next sample"), QKeySequence(tr("Alt+]")), [this] { m_explorer->stepSample(1); });

    QMenu* figure = m_menu->addMenu(tr("Fi&gure"));
    add(figure, tr("Save the pattern as a &figure …"), QKeySequence(tr("Ctrl+E")), [this] { saveFigure(); });

    QMenu* window = m_menu->addMenu(tr("&Window"));
    for (QDockWidget* dock : m_docks)
        window->addAction(dock->toggleViewAction());
    window->addSeparator();
    add(window, tr("&Reset the layout"), {}, [this] { resetLayout(); });

    QMenu* help = m_menu->addMenu(tr("&Help"));
    help->addAction(QWhatsThis::createAction(this));
    add(help, tr("&Keys"), QKeySequence::HelpContents, [this] {
        m_parts.messages->showMessage(MessageBar::Kind::Info,
                                      tr("Head map: arrows walk, Space switches, K keeps only the selection. Map: wheel zooms, drag pans, click locks a row, R shows all. "
                                         "[ and ] step through samples, Ctrl+Z brings a head back."));
    });
    add(help, tr("&About Headscope"), {}, [this] {
        QMessageBox::about(this, tr("About Headscope"),
                           tr("<b>Headscope %1</b><p>See every head's pattern, switch heads off, see benchmarks re-scored at once.</p>"
                              "<p>After Bick, Xing and Gu: <i>Understanding the Skill Gap in Recurrent Language Models: The Role of the Gather-and-Aggregate "
                              "Mechanism</i>.</p><p>GPL-3.0-or-later.</p>")
                               .arg(QApplication::applicationVersion()));
    });
    m_parts.mapA->setWhatsThis(tr("Rows are layers, columns are heads. A click switches a head off or on; the scores follow. A crossed cell is off."));
    m_parts.patternA->setWhatsThis(tr("Rows look at columns: a bright cell means that the token of the row takes information from the token of the column."));
    m_parts.scores->setWhatsThis(tr("Every benchmark before and now, the difference with its 95 % interval, and the p value of a paired test on the same examples."));
}

void MainWindow::buildWelcome()
{
    const auto places = io::ModelPlaces::fromEnvironment(m_options.backend.resources / "models");
    QList<widgets::Choice> shipped, cached;
    for (const auto& folder : io::shippedModels(places))
        shipped.append({QString::fromStdString(folder.name), QString::fromStdString(folder.name), QString::fromStdString(folder.path.string())});
    for (const auto& folder : io::cachedModels(places))
        cached.append({QString::fromStdString(folder.name), QString::fromStdString(folder.name), QString::fromStdString(folder.path.string())});
    m_explorer->setModelChoices(shipped + cached);
    auto* page = m_parts.welcome;
    page->setShippedModels(shipped);
    page->setCachedModels(cached);
    QList<widgets::Choice> sessions;
    QSettings settings;
    for (const QString& path : settings.value(QStringLiteral("sessions/recent")).toStringList())
        if (QFileInfo::exists(path))
            sessions.append({path, QFileInfo(path).completeBaseName(), path});
    page->setRecentSessions(sessions);
    const auto has = [&](const char* name) {
        return std::any_of(shipped.begin(), shipped.end(), [&](const widgets::Choice& choice) { return choice.id == QLatin1String(name); });
    };
    if (!has("tiny-transformer") || !has("tiny-ssm"))
        page->setCompareProblem(has("tiny-transformer") ? tr("The shipped SSM is not in this installation; open any model as B instead.")
                                                        : tr("The shipped models are missing from this installation."));
    connect(page, &widgets::WelcomePage::compareRequested, this, [this] { openModels(QStringLiteral("tiny-transformer"), QStringLiteral("tiny-ssm")); });
    connect(page, &widgets::WelcomePage::modelChosen, this, [this](const QString& id) { openModels(id); });
    connect(page, &widgets::WelcomePage::sessionChosen, this, &MainWindow::openPath);
    connect(page, &widgets::WelcomePage::openFolderRequested, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a model folder"));
        if (!folder.isEmpty())
            openPath(folder);
    });
    connect(page, &widgets::WelcomePage::openSessionRequested, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a session"), {}, tr("Headscope sessions (*.headscope)"));
        if (!path.isEmpty())
            openPath(path);
    });
    connect(page, &widgets::WelcomePage::pathsDropped, this, [this](const QStringList& paths) {
        for (const QString& path : paths)
            openPath(path);
    });
}

void MainWindow::openModels(const QString& a, const QString& b)
{
    m_explorer->openModel(Slot::A, a);
    if (!b.isEmpty())
        m_explorer->openModel(Slot::B, b);
}

void MainWindow::openPath(const QString& path)
{
    if (QFileInfo(path).isDir())
        openModels(path);
    else
        m_explorer->openSession(path);
}

void MainWindow::showExplorer(bool on)
{
    m_stack->setCurrentWidget(on ? m_centre : static_cast<QWidget*>(m_parts.welcome));
    for (QDockWidget* dock : m_docks)
        dock->setVisible(on);
    m_parts.prompt->setVisible(on);
    if (on && m_defaultState.isEmpty()) {
        // Docks only take sizes once they are shown.
        resizeDocks({m_docks[0], m_docks[3]}, {300, 430}, Qt::Horizontal);
        resizeDocks({m_docks[0], m_docks[1]}, {560, 180}, Qt::Vertical);
        resizeDocks({m_docks[3], m_docks[2]}, {400, 330}, Qt::Vertical);
        m_defaultState = saveState();
    }
}

void MainWindow::resetLayout()
{
    restoreState(m_defaultState);
    showExplorer(m_stack->currentWidget() == m_centre);
}

void MainWindow::saveFigure()
{
    const Slot slot = m_explorer->activeSlot();
    const auto reply = m_explorer->pattern(slot);
    if (!reply) {
        m_parts.messages->showMessage(MessageBar::Kind::Info, tr("There is no pattern to save yet; open a model and choose a head."));
        return;
    }
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the pattern as a figure"), QString::fromStdString(reply->request.head) + QStringLiteral(".pdf"),
                                                      tr("Figures (*.pdf *.svg *.png)"));
    if (path.isEmpty())
        return;
    // Both models where both have a pattern: the comparison is what is on the screen.
    widgets::PatternFigure maps{.scale = (slot == Slot::A ? m_parts.patternA : m_parts.patternB)->scaleOptions()};
    for (const Slot each : {Slot::A, Slot::B})
        if (const auto shown = m_explorer->pattern(each); shown && m_explorer->hasModel(each))
            maps.panels.push_back(patternData(shown, each == Slot::A ? QStringLiteral("A") : QStringLiteral("B"), m_explorer->provenance(each)));
    const widgets::Figure figure{.title = QString::fromStdString(reply->request.head), .provenance = m_explorer->provenance(slot), .content = maps};
    const auto written = widgets::writeFigure(figure, {.widthMm = maps.panels.size() > 1 ? 175.0 : 120.0}, path);
    m_parts.messages->showMessage(written.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                                  written.has_value() ? tr("Saved %1").arg(path) : QString::fromStdString(written.error().message));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    QStringList recent = settings.value(QStringLiteral("sessions/recent")).toStringList();
    recent.removeAll(m_options.session);
    recent.prepend(m_options.session);
    settings.setValue(QStringLiteral("sessions/recent"), recent.mid(0, 8));
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
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            openPath(url.toLocalFile());
}

} // namespace headscope::gui
