// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mainwindow.h"

#include "app/backend/session/keeprequests.h"
#include "app/controllers/models/jobids.h"
#include "app/controllers/models/jobscontroller.h"
#include "app/present/heads/sidenames.h"
#include "app/present/scores/recordpresenters.h"
#include "app/present/windowtitle.h"
#include "app/window/appearance.h"
#include "app/window/benchmarks/benchmarkscontroller.h"
#include "app/window/benchmarks/getbenchmarkdialog.h"
#include "app/window/busyindicator.h"
#include "app/window/dialogs/pagedialog.h"
#include "app/window/docklayout.h"
#include "app/window/experiments/experimentcontrols.h"
#include "app/window/experiments/experimentspage.h"
#include "app/window/experiments/unfinishedsessions.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/finder/commandfinder.h"
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/menus/entry.h"
#include "app/window/menus/experimentsmenu.h"
#include "app/window/menus/figuremenu.h"
#include "app/window/menus/filemenu.h"
#include "app/window/menus/headactions.h"
#include "app/window/menus/helpmenu.h"
#include "app/window/menus/mapmenu.h"
#include "app/window/menus/menubutton.h"
#include "app/window/menus/runmenu.h"
#include "app/window/menus/sessionmenu.h"
#include "app/window/menus/viewmenu.h"
#include "app/window/models/modeldialogs.h"
#include "app/window/models/trustdialog.h"
#include "app/window/prompthistory.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/settings/typebutton.h"
#include "app/window/start/fileopener.h"
#include "app/window/tours/examdesk.h"
#include "app/window/tours/handindesk.h"
#include "app/window/tours/tourguide.h"
#include "app/window/welcome/recentsessions.h"
#include "app/window/welcome/welcomecontroller.h"
#include "app/window/why/whymenu.h"
#include "app/window/windowsession.h"
#include "widgets/frame/messagebar.h"
#include "widgets/look/fitscreen.h"
#include "widgets/look/icons.h"
#include "widgets/look/plaintext.h"
#include "widgets/scores/costview.h"

#include <QApplication>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

const QString kGeometry = QStringLiteral("window/geometry"), kScreen = QStringLiteral("window/screen");
constexpr QSize kLeastPage(300, 300); // a page that is not shown does not say how small the window may be

QStringList localPaths(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    return paths;
}

// Ways to show results to others, which the menus have too.
QToolButton* makeShare(const QMenuBar& menus)
{
    auto* share = new QToolButton;
    share->setIcon(widgets::icon(u"share-2"));
    share->setText(MainWindow::tr("Share"));
    share->setToolTip(widgets::plainText(MainWindow::tr("A figure, or the session as a web page")));
    share->setPopupMode(QToolButton::InstantPopup);
    for (const char* name : {"share figure", "share page"})
        share->addAction(menus.findChild<QAction*>(QLatin1String(name)));
    return share;
}

QMenu* addEditMenu(QMenuBar& bar, QUndoStack& undoStack, MainWindow* window)
{
    QMenu* edit = bar.addMenu(MainWindow::tr("&Edit"));
    QAction* undo = undoStack.createUndoAction(window, MainWindow::tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(widgets::icon(u"undo-2"));
    QAction* redo = undoStack.createRedoAction(window, MainWindow::tr("&Redo"));
    redo->setShortcuts({QKeySequence(MainWindow::tr("Ctrl+Y")), QKeySequence(MainWindow::tr("Ctrl+Shift+Z"))});
    redo->setIcon(widgets::icon(u"redo-2"));
    edit->addActions({undo, redo});
    edit->addSeparator();
    return edit;
}

} // namespace

bool MainWindow::closedNormally()
{
    return !QSettings().value(QStringLiteral("window/open")).toBool();
}

MainWindow::MainWindow(const WindowOptions& options) : m_options(options)
{
    setObjectName(QStringLiteral("HeadscopeWindow"));
    setAcceptDrops(true);
    m_worker = new app::Door(m_options.backend, this);
    m_door = new app::SessionDoor(this);
    m_page = new ExplorerPage(*m_worker, *m_door, m_state);
    buildFrame();
    const std::filesystem::path& resources = m_options.backend.resources;
    m_layout = new DockLayout(*this, *m_page);
    m_session = new WindowSession(*explorer(), *m_door, *m_layout, this);
    m_opener = new FileOpener(*explorer(), *parts().messages, this);
    m_guide =
        new TourGuide(*explorer(), {*m_worker, *m_door}, parts(), QString::fromStdString(resources.string()), this);
    m_appearance = new Appearance(this);
    m_settings =
        new SettingsController(m_options.backend, *m_worker, *explorer(), *m_appearance, *parts().messages, this);
    const auto setClicks = [this] {
        for (auto* map : {parts().mapA, parts().mapB})
            map->setClickLooks(m_settings->settings().clickLooks);
    };
    connect(m_settings, &SettingsController::changed, this, setClicks);
    setClicks();
    if (!options.exam)
        statusBar()->insertPermanentWidget(
            2, new TypeButton(m_state, explorer()->controllers().models, statusBar())); // before the memory
    m_benchmarks = new BenchmarksController(
        m_state, QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/tasks"), this);
    connect(m_opener, &FileOpener::studyWanted, this, &MainWindow::openStudy);
    connect(m_opener, &FileOpener::benchmarkWanted, m_benchmarks, &BenchmarksController::addFile);
    connect(parts().scores, &widgets::ScoreboardView::benchmarksRequested, m_benchmarks, &BenchmarksController::open);
    connect(parts().scores, &widgets::ScoreboardView::filesRequested, this, &MainWindow::getBenchmark);
    buildTools();
    buildMenus();
    m_welcome = new WelcomeController(*parts().welcome, *m_opener, *explorer(), *m_guide, {*m_worker, *m_door},
                                      m_options.backend, this);
    connect(m_models, &ModelDialogs::modelsChanged, m_welcome, &WelcomeController::fill);
    new PromptHistory(*parts().prompt, this); // owned by the window
    connectTour();
    connect(m_opener, &FileOpener::sessionWanted, m_session, [this](const QString& path) { m_session->use(path); });
    connect(explorer(), &Explorer::modelShown, this, [this] { showExplorer(true); });
    connect(&m_state, &WindowState::modelChanged, this, &MainWindow::refreshTitle);
    connect(m_session, &WindowSession::changed, this, &MainWindow::refreshTitle);
    connect(m_door, &app::SessionDoor::opened, this, &MainWindow::resumeExperiments);
    resize(1440, 900);
    QSettings settings;
    restoreGeometry(settings.value(kGeometry).toByteArray());
    settings.setValue(QStringLiteral("window/open"), true);
    showExplorer(options.exam != nullptr);
    explorer()->controllers().restore.useNamedModels(options.named);
    m_session->use(options.session, options.restore);
    if (options.exam)
        new ExamDesk(*options.exam, {*this, *m_page, *m_menuButton, m_state, *m_appearance, *m_guide, *m_door,
                                     *findChild<HandInDesk*>()}); // owned by the window
}

MainWindow::~MainWindow()
{
    m_layout->letGo();
    m_state.disconnect(this);
    m_state.undoStack().disconnect(this);
    delete m_lecture;
    delete explorer(); // its controllers hear of the state, and of widgets that go after it
}

// Menu and prompt above, one line below: each as high as it ever is, so that nothing between them moves.
void MainWindow::buildFrame()
{
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_menu = new QMenuBar;
    column->addWidget(m_menu);
    column->addWidget(parts().prompt);
    setMenuWidget(top);
    buildBottomLine();
    m_stack = new QStackedWidget;
    parts().welcome->setMinimumSize(kLeastPage);
    m_stack->addWidget(parts().welcome);
    m_stack->addWidget(m_page);
    setCentralWidget(m_stack);
}

void MainWindow::buildBottomLine()
{
    auto* line = new QStatusBar;
    line->setSizeGripEnabled(false);
    line->setContentsMargins(4, 0, 8, 0); // without a grip the last word would touch the edge
    auto* busy = new widgets::BusyStrip;
    new BusyIndicator(*m_worker, *busy, this); // owned by the window, both
    new JobsController(*m_worker, *parts().runs, this);
    line->addWidget(parts().messages, 1);
    line->addPermanentWidget(busy);
    line->addPermanentWidget(parts().machine);
    setStatusBar(line);
}

void MainWindow::buildMenus()
{
    m_fileMenu = new FileMenu(*m_menu, *m_opener, *m_session, *m_settings, *m_page, this);
    connect(sessionMenu(), &SessionMenu::pageWanted, this, &MainWindow::exportPage);
    connect(m_fileMenu, &FileMenu::welcomeRequested, this, [this] { showExplorer(false); });
    m_models = new ModelDialogs(m_options.backend.resources / "models", m_options.hub, this);
    connect(m_models, &ModelDialogs::openRequested, &explorer()->controllers().models, &ModelController::open);
    connect(parts().prompt, &widgets::PromptBar::allModelsRequested, m_models, &ModelDialogs::showList);
    connect(m_fileMenu, &FileMenu::modelsRequested, m_models, &ModelDialogs::showList);
    connect(m_fileMenu, &FileMenu::getModelRequested, m_models, &ModelDialogs::showGet);
    connect(m_fileMenu, &FileMenu::benchmarksRequested, m_benchmarks, &BenchmarksController::open);
    addEntry(
        *addEditMenu(*m_menu, m_state.undoStack(), this), this, tr("&Find a command, a head or a token …"),
        QKeySequence(QStringLiteral("Ctrl+K")), [this] { m_finder->open(); }, u"search");
    ExplorerControllers& controllers = explorer()->controllers();
    new HeadActions(m_menu, m_state, controllers.models, controllers.metrics,
                    {*parts().patterns, {parts().mapA, parts().mapB}});
    new WhyMenu(*m_menu, *m_page); // owned by the menu
    auto* run = new RunMenu(*m_menu, *m_page, *m_worker, *m_settings);
    connect(run, &RunMenu::removalRequested, this, &MainWindow::showRemoval);
    connect(run, &RunMenu::trustRequested, this, &MainWindow::askForTrust);
    auto* experiments = new ExperimentsMenu(*m_menu, this);
    connect(experiments, &ExperimentsMenu::requested, this, &MainWindow::showExperiment);
    connect(experiments, &ExperimentsMenu::galleryRequested, this, &MainWindow::showGallery);
    connect(experiments, &ExperimentsMenu::studyRequested, m_opener, &FileOpener::askForStudy);
    m_figureMenu = new FigureMenu(*m_menu, *m_page, *m_door, this);
    auto* maps = new MapMenu(*m_page, *worker(), this);
    connect(maps, &MapMenu::figureRequested, m_figureMenu, &FigureMenu::openDesk);
    new ViewMenu(*m_menu, *m_appearance);
    QMenu* view = m_menu->actions().last()->menu();
    view->addSeparator();
    QAction* colour = addEntry(*view, this, tr("Colour the prompt by log-&probability"),
                               QKeySequence(QStringLiteral("Ctrl+Shift+P")), [] {});
    colour->setCheckable(true);
    connect(colour, &QAction::toggled, this, [&controllers](bool on) { controllers.logProbs.setEnabled(on); });
    addEntry(
        *view, this, tr("L&ecture"), QKeySequence(QStringLiteral("F11")), [this] { m_lecture->toggle(); },
        u"presentation");
    addEntry(
        *view, this, tr("&Full screen"), QKeySequence(QStringLiteral("Shift+F11")),
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); }, u"maximize");
    auto* window = m_menu->addMenu(tr("&Window"));
    buildGoMenu(*window->addMenu(tr("&Go to")));
    window->addSeparator();
    m_layout->addTo(*window);
    window->addSeparator();
    addEntry(
        *window, this, tr("&Reset the layout"), {}, [this] { m_layout->reset(); }, u"rotate-ccw");
    auto* help = new HelpMenu(*m_menu, *m_guide,
                              QString::fromStdString((m_options.backend.resources / "manual").string()), this);
    m_menuButton = new MenuButton(*m_menu, *view, this);
    parts().prompt->addMenu(m_menuButton);
    parts().prompt->addTool(makeShare(*m_menu));
    parts().welcome->addMenu(m_menuButton->makeTwin());
    connectWelcome(*help);
    auto* handIn = new HandInDesk(*m_door, *parts().messages, this);
    connect(help, &HelpMenu::handInRequested, handIn, [handIn] { handIn->ask(); });
}

void MainWindow::connectWelcome(HelpMenu& help)
{
    using widgets::WelcomePage;
    WelcomePage* page = parts().welcome;
    connect(page, &WelcomePage::getModelRequested, m_models, &ModelDialogs::showGet);
    connect(page, &WelcomePage::allModelsRequested, m_models, &ModelDialogs::showList);
    connect(page, &WelcomePage::finderRequested, m_finder, &CommandFinder::open);
    connect(page, &WelcomePage::settingsRequested, m_settings, &SettingsController::open);
    connect(page, &WelcomePage::experimentsRequested, this, &MainWindow::showGallery);
    connect(page, &WelcomePage::teachingRequested, &help, [&help] { help.showManual(QStringLiteral("teaching")); });
    page->setLessons(
        tr("All %1 tours and %2 exercises").arg(m_guide->choices().size()).arg(m_guide->exercises().size()),
        help.makeLessons(page));
}

// Where the keyboard goes: a letter for each part.
void MainWindow::buildGoMenu(QMenu& menu)
{
    const auto add = [&](const QString& title, const QString& keys, QWidget* part) {
        m_regions.append(part);
        return addEntry(menu, this, title, QKeySequence(keys), [this, part] {
            m_layout->reveal(part);
            part->setFocus(Qt::ShortcutFocusReason);
        });
    };
    QAction* prompt = add(tr("&Prompt"), QStringLiteral("T"), parts().prompt->findChild<QPlainTextEdit*>());
    // On pages of analysis the letter is the table's (WhyMenu).
    connect(parts().why, &widgets::WhyPage::visibilityChanged, prompt,
            [prompt](bool seen) { prompt->setShortcut(QKeySequence(seen ? QString() : QStringLiteral("T"))); });
    add(tr("Head map &A"), QStringLiteral("1"), parts().mapA->view());
    add(tr("Head map &B"), QStringLiteral("2"), parts().mapB->view());
    add(tr("Pa&tterns"), QStringLiteral("P"), parts().patternA);
    add(tr("&Scores"), QStringLiteral("S"), parts().scores->cost());
    addEntry(menu, this, tr("&Next part"), QKeySequence(QStringLiteral("F6")), [this] { focusNextRegion(); });
}

void MainWindow::focusNextRegion()
{
    const QWidget* focus = QApplication::focusWidget();
    qsizetype at = -1;
    for (qsizetype i = 0; i < m_regions.size(); ++i)
        if (focus && (m_regions.at(i) == focus || m_regions.at(i)->isAncestorOf(focus)))
            at = i;
    for (qsizetype k = 1; k <= m_regions.size(); ++k)
        if (QWidget* next = m_regions.at((at + k) % m_regions.size()); next->isVisible())
            return next->setFocus(Qt::ShortcutFocusReason);
}

// Found by typing, and shown large: both from every page.
void MainWindow::buildTools()
{
    m_finder = new CommandFinder(*m_menu, *m_page, *this);
    m_lecture = new LectureController(*m_page, m_state, *m_guide, *this);
    auto* find = new QToolButton;
    find->setIcon(widgets::icon(u"search"));
    find->setText(tr("Find …") + QStringLiteral("  ")
                  + QKeySequence(QStringLiteral("Ctrl+K")).toString(QKeySequence::NativeText));
    find->setAccessibleName(tr("Find a command, a head or a token"));
    find->setToolTip(tr("Find a command, a head, a task, a run or a token (Ctrl+K)"));
    connect(find, &QToolButton::clicked, m_finder, &CommandFinder::open);
    auto* lecture = new QToolButton;
    lecture->setIcon(widgets::icon(u"presentation"));
    lecture->setText(tr("Lecture") + QStringLiteral("  F11"));
    lecture->setToolTip(tr("Large maps for a lecture (F11)"));
    connect(lecture, &QToolButton::clicked, m_lecture, &LectureController::toggle);
    lecture->setAccessibleName(tr("Lecture"));
    parts().prompt->addTool(find);
    parts().prompt->addTool(lecture);
}

void MainWindow::connectTour()
{
    connect(m_guide, &TourGuide::opened, m_layout, [this] {
        m_layout->setTouring(true);
        m_page->showPatterns();
        if (m_state.hasModel(Side::A))
            showExplorer(true); // with models that are open already nothing else leaves the welcome page
    });
    connect(m_guide, &TourGuide::stepShown, m_page, &ExplorerPage::showPatterns);
    connect(m_guide, &TourGuide::closed, m_layout, [this] { m_layout->setTouring(false); });
    connect(m_guide, &TourGuide::continueRequested, &explorer()->controllers().continuation,
            qOverload<>(&ContinuationController::start));
    connect(m_guide, &TourGuide::removalRequested, this, &MainWindow::showRemoval);
    connect(m_guide, &TourGuide::scoreRequested, this, [this] { m_page->showWhy(parts().why->scoreParts()); });
    connect(m_guide, &TourGuide::edgesRequested, this, [this](const QString& head, const QString& exchange) {
        m_page->showWhy(parts().why->edges());
        explorer()->controllers().edges.startAround(Side::A, head, exchange);
    });
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
    else if (name == QLatin1String("experiment"))
        value.isEmpty() ? showGallery() : showExperiment(value.toInt());
    else if (name == QLatin1String("study"))
        openStudy(value);
    else if (name == QLatin1String("run-experiment") && m_experiments)
        m_experiments->run();
    else if (name == QLatin1String("log-probabilities"))
        explorer()->controllers().logProbs.setEnabled(true);
    else if (name == QLatin1String("survey"))
        m_page->showSurvey();
    else if (name == QLatin1String("run-survey"))
        Q_EMIT parts().survey->runRequested();
    else if (name == QLatin1String("head-page"))
        Q_EMIT parts().survey->cardRequested(value);
    else if (name == QLatin1String("lecture"))
        m_lecture->toggle();
    else if (name == QLatin1String("step"))
        Q_EMIT parts().tour->stepRequested(value.toInt());
    else if (name == QLatin1String("answer"))
        parts().tour->answer(value.toInt());
    else if (name == QLatin1String("sample"))
        explorer()->controllers().prompt.showSample(value.section(QLatin1Char(' '), 0, 0),
                                                    value.section(QLatin1Char(' '), 1).toInt());
    else if (name == QLatin1String("text-scale"))
        m_appearance->previewTextScale(value.toDouble() / 100);
    else if (name == QLatin1String("command"))
        trigger(value);
    else
        analyse(name, value);
}

// The pages of Analyse, and what fills them.
void MainWindow::analyse(const QString& page, const QString& value)
{
    const widgets::WhyPage& why = *parts().why;
    if (page == QLatin1String("why"))
        m_page->showWhy();
    else if (page == QLatin1String("patching")) {
        m_page->showWhy(why.patches());
        explorer()->controllers().patches.start();
    } else if (page == QLatin1String("edges")) {
        m_page->showWhy(why.edges());
        explorer()->controllers().edges.start();
    } else if (page == QLatin1String("knockout")) {
        m_page->showWhy(why.sweep());
        Q_EMIT why.sweep()->startRequested();
    } else if (page == QLatin1String("score-parts"))
        m_page->showWhy(why.scoreParts());
    else if (page == QLatin1String("weights"))
        m_page->showWhy(why.weights());
    else if (page == QLatin1String("probes")) {
        m_page->showWhy(why.probes());
        Q_EMIT why.probes()->startRequested();
    } else if (page == QLatin1String("steering"))
        m_page->showWhy(why.steering());
    else if (page == QLatin1String("experts"))
        m_page->showExperts(value.toInt());
}

void MainWindow::trigger(const QString& command)
{
    static const QRegularExpression decoration(QStringLiteral("&|\\s*(…|\\.\\.\\.)$"));
    const auto plain = [](QString text) { return text.remove(decoration); };
    for (QAction* action : findChildren<QAction*>())
        if (action->isEnabled() && plain(action->text()) == plain(command))
            return action->trigger();
    parts().messages->showMessage(widgets::MessageBar::Kind::Error,
                                  tr("No menu contains the command \"%1\".").arg(command));
}

void MainWindow::showExplorer(bool on)
{
    const bool was = m_stack->currentWidget() == m_page;
    if (on) {
        m_stack->setCurrentWidget(m_page);
        parts().prompt->show();
        m_layout->showAll();
        return m_menuButton->setBarAlwaysShown(true);
    }
    if (was)
        m_welcome->fill();
    m_layout->hideAll();
    m_stack->setCurrentWidget(parts().welcome);
    parts().prompt->hide();
    parts().continuation->hide();
    m_menuButton->setBarAlwaysShown(true);
}

void MainWindow::makeExperiments()
{
    if (m_experiments)
        return;
    m_experiments = new ExperimentsPage(QCoreApplication::applicationDirPath() + QStringLiteral("/headscope-cli"),
                                        m_options.backend.resources / "results", *m_door);
    m_experiments->setMinimumSize(kLeastPage);
    m_stack->addWidget(m_experiments);
    m_experiments->controls()->setPlaces(io::ModelPlaces::fromEnvironment(m_options.backend.resources / "models"));
    connect(m_experiments, &ExperimentsPage::studyRequested, m_opener, &FileOpener::askForStudy);
    connect(m_experiments, &ExperimentsPage::messageRequested, this, [this](const QString& sentence, bool problem) {
        parts().messages->showMessage(problem ? widgets::MessageBar::Kind::Error : widgets::MessageBar::Kind::Info,
                                      sentence);
    });
    connect(m_experiments, &ExperimentsPage::backRequested, this,
            [this] { showExplorer(m_state.hasModel(Side::A) || m_state.hasModel(Side::B)); });
    // A line among the jobs, though it is a program of its own.
    constexpr qint64 kId = jobId(Job::Experiment, Side::A);
    connect(m_experiments, &ExperimentsPage::worked, this, [this](const QString& running, int over, int all) {
        if (running.isEmpty())
            return parts().runs->removeJob(kId);
        parts().runs->setJob(
            {.id = kId, .name = running, .done = over, .total = all > 1 ? all : 0, .unit = tr("experiments")});
    });
    connect(parts().runs, &widgets::RunsView::stopRequested, m_experiments, [this](qint64 id) {
        if (id == kId)
            m_experiments->stop();
    });
}

// What was not finished when the window was closed goes on, whether the page is looked at or not.
void MainWindow::resumeExperiments()
{
    if (!isUnfinished(m_session->path()))
        return;
    makeExperiments();
    updateSurroundings();
}

void MainWindow::updateSurroundings()
{
    QStringList open;
    for (const Side side : {Side::A, Side::B})
        if (m_state.hasModel(side))
            open.append(QString::fromStdString(m_state.side(side).model->path));
    m_experiments->setSurroundings(m_session->path(), open);
}

void MainWindow::showExperiments()
{
    makeExperiments();
    updateSurroundings();
    m_layout->hideAll();
    parts().prompt->hide();
    parts().continuation->hide();
    m_stack->setCurrentWidget(m_experiments);
    m_menuButton->setBarAlwaysShown(false);
}

void MainWindow::showGallery()
{
    showExperiments();
    m_experiments->showGallery();
}

void MainWindow::showExperiment(int index)
{
    showExperiments();
    m_experiments->choose(index);
}

void MainWindow::openStudy(const QString& file)
{
    showExperiments();
    if (const auto opened = m_experiments->openStudy(file); !opened.has_value())
        parts().messages->showMessage(widgets::MessageBar::Kind::Error,
                                      QFileInfo(file).fileName() + QStringLiteral(": ")
                                          + QString::fromStdString(opened.error().message));
}

void MainWindow::getBenchmark(const QString& task)
{
    if (!m_getBenchmark) {
        m_getBenchmark = new GetBenchmarkDialog(m_options.hub, this);
        connect(m_getBenchmark, &GetBenchmarkDialog::fetched, m_settings, &SettingsController::useDataFolder);
    }
    const std::filesystem::path chosen = m_settings->settings().work.dataFolder,
                                folder = chosen.empty() ? app::defaultDataFolder() : chosen;
    m_getBenchmark->ask(task, QString::fromStdString(folder.string()));
}

// Of the model that is worked with, as it is in its folder.
void MainWindow::askForTrust()
{
    const auto& model = m_state.side(m_state.activeSide()).model;
    if (!model || model->stored)
        return m_state.showError(inputError(tr("Open a model to compare its forms.").toStdString()));
    if (!m_trust)
        m_trust = new TrustDialog(QCoreApplication::applicationDirPath() + QStringLiteral("/headscope-cli"), this);
    QStringList tasks;
    for (const std::string& task : model->benchmarks)
        tasks.append(QString::fromStdString(task));
    m_trust->ask(QString::fromStdString(model->path), tasks,
                 QString::fromStdString(m_settings->settings().work.dataFolder.string()));
}

// A page needs the score without each head; an included ranking stores none in the session, so they are measured.
void MainWindow::exportPage()
{
    m_door->readOnly() ? offerPage() : explorer()->controllers().ranking.whenMeasured([this] { offerPage(); });
}

// With the maps on the screen, which a session keeps only when asked to; one for reading only has what it has.
void MainWindow::offerPage()
{
    if (!m_pageDialog)
        m_pageDialog = new PageDialog(QCoreApplication::applicationDirPath() + QStringLiteral("/headscope-cli"), this);
    const auto offer = [this] { m_pageDialog->offer(m_session->path(), m_guide->choices() + m_guide->exercises()); };
    if (m_door->readOnly())
        return offer();
    m_door->write<void>(this, app::keepShown(shownRecords(m_state)), [this, offer](const Result<void>& kept) {
        if (!kept.has_value())
            return m_state.showError(kept.error());
        offer();
    });
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
        if (!m_state.hasModel(side))
            return QString();
        const app::ModelSummary& model = *m_state.side(side).model;
        return model.packing.empty()
                   ? modelText(model)
                   : QStringLiteral("%1 (%2)").arg(modelText(model), QString::fromStdString(model.packing));
    };
    setWindowTitle(gui::windowTitle(m_session->path(), nameOf(Side::A), nameOf(Side::B)));
}

void MainWindow::fitTo(const QSize& available)
{
    const QSettings settings;
    if (isMaximized() || isFullScreen())
        return;
    resize(settings.contains(kGeometry) ? widgets::sizeOnScreen(size(), settings.value(kScreen).toSize(), available)
                                        : widgets::firstSize(available));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings settings;
    settings.setValue(kGeometry, saveGeometry());
    settings.setValue(kScreen, screen()->availableSize());
    settings.setValue(QStringLiteral("window/open"), false);
    m_layout->remember();
    m_session->keepLayout();
    if (m_door->isOpen() && m_stack->currentWidget() == m_page)
        keepSessionPicture(m_session->path(), grab());
    explorer()->controllers().restore.saveNow();
    m_worker->stopAll();
    event->accept();
}

// Read and left where it is: a file manager may propose to move what is dragged, and takes it away once that is done.
void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localPaths(*event->mimeData()).isEmpty()) {
        event->setDropAction(Qt::CopyAction);
        event->accept();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->setDropAction(Qt::CopyAction);
    event->accept();
    m_opener->openPaths(localPaths(*event->mimeData()));
}

} // namespace headscope::gui
