// SPDX-License-Identifier: GPL-3.0-or-later
// What surrounds the explorer's loop, in the whole window on a shipped model: continuing a prompt, flips, comparing
// runs, charts, prompts, tours, the welcome page, and whether everything has a name for a screen reader.
#include "app/present/prompt/mapfiles.h"
#include "app/window/docklayout.h"
#include "app/window/explorer.h"
#include "app/window/finder/commandfinder.h"
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/mainwindow.h"
#include "app/window/manual/manualpages.h"
#include "app/window/menus/mapmenu.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/tours/tourguide.h"
#include "app/window/tours/tourmark.h"
#include "core/io/safetensors/safetensors.h"
#include "tests/support/replyrecorder.h"
#include "tests/support/widgetfixture.h"
#include "widgets/look/fitting.h"
#include "widgets/look/labels/switchbutton.h"
#include "widgets/look/labels/termbutton.h"
#include "widgets/scores/costview.h"
#include "widgets/welcome/welcomepage.h"

#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QDropEvent>
#include <QHelpEvent>
#include <QListWidget>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QWhatsThis>

#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>
#include <malloc.h>
#include <random>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::MainWindow;
using testing::button;
using testing::predict;

namespace {

constexpr int kWait = 60000; // slow machines; nothing here is timed

template <typename Predicate> bool waitFor(Predicate predicate)
{
    return QTest::qWaitFor(predicate, kWait);
}

bool idle(MainWindow& window)
{
    return waitFor([&] { return !window.worker()->busy() && window.explorer()->pattern(Side::A) != nullptr; });
}

interventions::InterventionSet off(const QString& heads)
{
    return *interventions::InterventionSet::parse(heads.toStdString());
}

} // namespace

class TestWindowTools : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void welcomeListsModelsSessionsAndTours();
    void welcomeShowsTwoModelsAtWork();
    void ownWordsOpenTwoModelsWithAnExample();
    void everyTermIsExplained();
    void droppedFolderOpens();
    void continuesThePromptAndFollowsTheHeads();
    void whatIsWrittenBecomesRowsAsItAppears();
    void stopKeepsWhatIsWritten();
    void flippedExampleBecomesThePrompt();
    void twoRunsAreComparedOnTheSameExamples();
    void topHeadsCostMoreThanRandomOnes();
    void marksComeWithSamplesAndByHand();
    void bracketsStepThroughSamples();
    void everySampleHasItsSource();
    void dataFolderIsRemembered();
    void tourFindsItsHeadsByRanking();
    void toursClaimWhatIsMeasured_data() { addTours(); }
    void toursClaimWhatIsMeasured();
    void toursSayWhatModelsWrite_data();
    void toursSayWhatModelsWrite();
    void toursClaimEdgesThatAreMeasured();
    void toursClaimScoresThatAreMeasured();
    void aTourShowsItsEdges();
    void everyStepHasItsWholeState();
    void predictionsComeBeforeTheEvidence();
    void nothingIsSeenBeforeItIsAskedAbout_data() { addTours(); }
    void nothingIsSeenBeforeItIsAskedAbout();
    void aTourFitsItsCard();
    void tourStartsFromTheWelcomePage();
    void finderFindsCommandsHeadsAndTokens();
    void lectureIsShownAndLeft();
    void escapeIsForWhatHasTheFocus();
    void mapsAreTakenAway();
    void regionsAreReachedByKey();
    void everythingHasAName();
    void askingWhatThisIsEndsWithAnAnswer();
    void docksComeBackBehindADrag();
    void aDragIsLeftUnfinished();
    void theWelcomePageFitsAnyRoom();
    void everyActionIsReachable();
    void rankingsTellWhatTheyTake();
    void theMenuOfAMapThatIsGoneDoesNothing(); // the last: what it opens takes the focus

private:
    static void addTours();
    void freshWindow();
    /// The window with the shipped Transformer, all heads on, at the first sample. What it has scored it does not score
    /// again.
    void openModel();
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    int m_number = 0;
};

void TestWindowTools::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    // A cache with one finished model, one that never finished, and a tag that leads to a snapshot.
    const std::filesystem::path hub = std::filesystem::path(m_folder.path().toStdString()) / "hub";
    const auto commit = [&](const char* model, const char* hash) { return hub / model / "snapshots" / hash; };
    const auto good = commit("models--org--good", "aaaa1111");
    std::filesystem::create_directories(good);
    std::filesystem::copy(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer", good,
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directories(hub / "models--org--good" / "refs");
    std::ofstream(hub / "models--org--good" / "refs" / "main") << "aaaa1111";
    std::filesystem::create_directories(hub / "models--org--half" / "blobs");
    std::ofstream(hub / "models--org--half" / "blobs" / "0123.incomplete") << "x";
    qputenv("HF_HUB_CACHE", QByteArray::fromStdString(hub.string()));
}

void TestWindowTools::freshWindow()
{
    m_window.reset();
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_folder.filePath(u"%1.headscope"_s.arg(++m_number));
    m_window = std::make_unique<MainWindow>(options);
    m_window->show();
}

void TestWindowTools::openModel()
{
    if (!m_window)
        freshWindow();
    auto* explorer = m_window->explorer();
    if (!explorer->model(Side::A) || explorer->model(Side::A)->name != "tiny-transformer")
        m_window->openModels(u"tiny-transformer"_s);
    else
        explorer->restoreAll(Side::A);
    QVERIFY(waitFor([&] {
        return !m_window->worker()->busy() && explorer->model(Side::A);
    })); // the prompt before may be none that has a pattern
    m_window->worker()->ask(app::SampleRequest{"toy_kv:pairs=8", 0});
    QVERIFY(waitFor([&] { return explorer->prompt().sample == 0 && !explorer->prompt().task.empty(); }));
    QVERIFY(idle(*m_window));
    QVERIFY(!explorer->foundHead(Side::A, true).isEmpty());
}

void TestWindowTools::continuesThePromptAndFollowsTheHeads()
{
    openModel();
    auto* view = m_window->parts().continuation;
    const QString value = QString::fromStdString(m_window->explorer()->prompt().answer).trimmed();
    QVERIFY(!value.isEmpty());
    for (QToolButton* tool : m_window->parts().prompt->findChildren<QToolButton*>())
        if (tool->text().startsWith(u"Continue"_s))
            tool->click();
    QVERIFY(waitFor([&] { return !view->isHidden() && !view->running(); }));
    const auto* text = view->text(Side::A);
    QVERIFY(!text->words().empty());
    QCOMPARE(text->words().front().text.trimmed(), value); // the model answers
    QVERIFY(text->words().front().probability > 0.9);
    QCOMPARE(text->words().front().candidates.size(), std::size_t{8});
    // The likeliest is what greedy takes, and the probability is the candidate's.
    QCOMPARE(text->words().front().candidates.front().second, text->words().front().probability);
    // The head that fetches the value goes: the text is written anew, less sure.
    const QString head = m_window->explorer()->foundHead(Side::A, true);
    QVERIFY(!head.isEmpty());
    m_window->explorer()->changeAblation(Side::A, off(head), head);
    QVERIFY(view->running());
    QVERIFY(waitFor([&] { return !view->running(); }));
    QVERIFY(!text->words().empty());
    QVERIFY(text->words().front().text.trimmed() != value); // however sure it is of that
    // Taking it over makes it part of the prompt, and a new prompt ends the continuation.
    const QString written = text->plainText(), before = m_window->parts().prompt->prompt();
    Q_EMIT view->takeOverRequested(written);
    QCOMPARE(m_window->parts().prompt->prompt(), before + written);
    QVERIFY(view->isHidden());
    QVERIFY(m_window->explorer()->prompt().task.empty());
    QVERIFY(idle(*m_window)); // words are still words: the pattern of the longer prompt is there
}

void TestWindowTools::whatIsWrittenBecomesRowsAsItAppears()
{
    openModel();
    QVERIFY(idle(*m_window));
    auto* view = m_window->parts().continuation;
    const auto appends = view->findChild<QCheckBox*>();
    appends->setChecked(true);
    const app::Prompt before = m_window->explorer()->prompt();
    const auto rows = [this] { return m_window->explorer()->pattern(Side::A)->prompt.ids.size(); };
    const std::size_t first = rows();
    const auto tokens = view->findChild<QSpinBox*>();
    tokens->setValue(200); // more than come at one time
    std::vector<std::size_t> lengths;
    const auto watch = connect(m_window->state(), &gui::WindowState::promptChanged, this,
                               [&] { lengths.push_back(m_window->explorer()->prompt().text.size()); });
    const int steps = m_window->undoStack()->index();
    m_window->explorer()->controllers().continuation.start();
    QVERIFY(waitFor([&] { return !view->isHidden(); }));
    QVERIFY(waitFor([&] { return view->isHidden(); })); // the text is in the prompt
    QVERIFY(idle(*m_window));
    disconnect(watch);
    appends->setChecked(false);
    tokens->setValue(16);
    QVERIFY(m_window->explorer()->prompt().text.starts_with(before.text));
    QVERIFY(rows() > first + 1);
    const std::size_t last = m_window->explorer()->prompt().text.size();
    QVERIFY(std::ranges::any_of(lengths, [&](std::size_t now) { return now > before.text.size() && now < last; }));
    QCOMPARE(m_window->undoStack()->index(), steps + 1);
    m_window->undoStack()->undo();
    QCOMPARE(m_window->explorer()->prompt(), before);
    QVERIFY(idle(*m_window));
}

void TestWindowTools::stopKeepsWhatIsWritten()
{
    openModel();
    auto* view = m_window->parts().continuation;
    view->begin(Side::A, {});
    testing::ReplyRecorder<app::ContinuationRequest> parts(*m_window->worker());
    m_window->worker()->ask(app::ContinuationRequest{Side::A, m_window->explorer()->prompt(), {}, {.tokens = 900}});
    QVERIFY(waitFor([&] { return !parts.replies.empty(); }));
    QSignalSpy cancelled(m_window->worker(), &app::Door::cancelled);
    m_window->worker()->stop<app::ContinuationRequest>(Side::A);
    QVERIFY(cancelled.wait(kWait));
    QVERIFY(!view->running());
    const auto written = view->text(Side::A)->words().size();
    QVERIFY(written >= 1 && written < 900);
    // Longer than the model reads: as far as it goes, and it says so.
    m_window->worker()->ask(app::ContinuationRequest{Side::A, m_window->explorer()->prompt(), {}, {.tokens = 4000}});
    m_window->worker()->stop<app::ContinuationRequest>(Side::A);
    QVERIFY(waitFor([&] { return !m_window->worker()->busy(); }));
}

void TestWindowTools::flippedExampleBecomesThePrompt()
{
    openModel();
    const QString head = m_window->explorer()->foundHead(Side::A, true);
    m_window->explorer()->changeAblation(Side::A, off(head), head);
    auto* flips = m_window->parts().flips;
    QVERIFY(waitFor([&] { return flips->model()->rowCount() > 0; }));
    QVERIFY(idle(*m_window));
    for (QPushButton* button : m_window->parts().scores->findChildren<QPushButton*>())
        if (button->isCheckable())
            button->click();
    QVERIFY(flips->isVisible());
    const auto* filter = flips->findChild<QComboBox*>();
    const int all = flips->tree()->model()->rowCount();
    const_cast<QComboBox*>(filter)->setCurrentIndex(1); // broken
    const int broken = flips->tree()->model()->rowCount();
    const_cast<QComboBox*>(filter)->setCurrentIndex(2); // fixed
    QCOMPARE(broken + flips->tree()->model()->rowCount(), all);
    const_cast<QComboBox*>(filter)->setCurrentIndex(0);
    // A double click on one that is not the prompt now.
    const widgets::Flip last = flips->model()->flipAt(all - 1);
    const QModelIndex line = flips->tree()->model()->index(all - 1, 0);
    QVERIFY(waitFor([&] { // until the list has its place in the window
        flips->tree()->scrollTo(line);
        return flips->tree()->viewport()->rect().contains(flips->tree()->visualRect(line).center())
               && flips->tree()->indexAt(flips->tree()->visualRect(line).center()) == line;
    }));
    QSignalSpy activated(flips, &widgets::FlipsView::exampleActivated);
    const QPoint at = flips->tree()->visualRect(line).center();
    QTest::mouseClick(flips->tree()->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(flips->tree()->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(activated.size(), 1);
    QVERIFY(waitFor([&] { return m_window->parts().prompt->prompt() == last.prompt; }));
    QVERIFY(waitFor([&] {
        const auto pattern = m_window->explorer()->pattern(Side::A);
        return pattern && QString::fromStdString(m_window->explorer()->prompt().text) == last.prompt
               && pattern->spans.size() > 0 && !m_window->worker()->busy();
    }));
}

void TestWindowTools::twoRunsAreComparedOnTheSameExamples()
{
    openModel();
    auto* explorer = m_window->explorer();
    const QString aggregate = explorer->foundHead(Side::A, true);
    QSignalSpy scored(explorer, &gui::Explorer::scoresFinal);
    explorer->changeAblation(Side::A, off(u"L3H0"_s), u"one"_s);
    QVERIFY(scored.wait(kWait));
    explorer->changeAblation(Side::A, off(aggregate + u" L3H0"_s), u"two"_s);
    QVERIFY(scored.wait(kWait));
    auto* runs = m_window->parts().runs;
    qint64 one = -1, two = -1;
    for (const auto& run : runs->model()->runs())
        if (run.name == u"L3H0 ablated"_s)
            one = run.id;
        else if (run.name.contains(u"L3H0"_s) && run.name.contains(aggregate))
            two = run.id;
    QVERIFY(one >= 0 && two >= 0);
    scored.clear();
    Q_EMIT runs->compareRequested(one, two);
    QVERIFY(scored.wait(kWait));
    const auto* board = m_window->parts().scores->model();
    QCOMPARE(board->headerData(widgets::ScoreboardModel::Baseline, Qt::Horizontal, Qt::DisplayRole).toString(),
             u"before"_s);
    QVERIFY(board->headerData(widgets::ScoreboardModel::Baseline, Qt::Horizontal, Qt::ToolTipRole)
                .toString()
                .contains(u"L3H0"_s));
    const auto kv = std::find_if(board->rows().begin(), board->rows().end(),
                                 [](const auto& row) { return row.id == u"toy_kv:pairs=8"_s; });
    QVERIFY(kv != board->rows().end());
    QVERIFY(kv->delta < -0.5 && kv->p < 1e-10);
    const auto comparison = [this] { return m_window->findChild<QDialog*>(u"comparison"_s); };
    QVERIFY(waitFor([&] { return comparison() && comparison()->isVisible(); }));
    delete comparison(); // it has the focus, which what follows needs
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    // And back: the baseline is the model with all heads on again.
    QVERIFY(idle(*m_window));
    scored.clear();
    explorer->compareWith(Side::A, {Side::A, {}});
    QVERIFY(scored.wait(kWait));
    QCOMPARE(board->headerData(widgets::ScoreboardModel::Baseline, Qt::Horizontal, Qt::DisplayRole).toString(),
             u"baseline"_s);
}

void TestWindowTools::topHeadsCostMoreThanRandomOnes()
{
    openModel();
    const testing::ReplyRecorder<app::RemovalRequest> curves(*m_window->worker());
    QTest::keyClick(m_window.get(), Qt::Key_F6, Qt::ShiftModifier);
    QVERIFY(waitFor([&] { return !curves.replies.empty() && curves.replies.back()->final; }));
    const auto curve = curves.replies.back();
    QCOMPARE(curve->points.front().heads, 0);
    QCOMPARE(curve->points.front().top, curve->baseline);
    const app::RemovalPoint& one = curve->points.at(1);
    QCOMPARE(one.heads, 1);
    QCOMPARE(one.random.size(), std::size_t{5});
    double random = 0;
    for (const double value : one.random)
        random += value / 5;
    QVERIFY(one.top < 0.2);
    QVERIFY(random > one.top + 0.3);
    QCOMPARE(m_window->parts().removal->lines().size(), std::size_t{2});
    QVERIFY(m_window->parts().removal->isVisible());
}

void TestWindowTools::marksComeWithSamplesAndByHand()
{
    openModel();
    auto* edit = m_window->parts().prompt->findChild<QPlainTextEdit*>();
    QVERIFY(waitFor([&] { return edit->extraSelections().size() > 10; })); // tokens and segments of the sample
    m_window->explorer()->usePrompt({.text = "<s> grumpy cheetah : 93"});
    QVERIFY(waitFor([&] { return !m_window->worker()->busy(); }));
    const auto before = m_window->explorer()->pattern(Side::A);
    QVERIFY(before->spans.empty());
    const qsizetype at = edit->toPlainText().indexOf(u"grumpy"_s);
    Q_EMIT m_window->parts().prompt->segmentMarked(Role::Key, static_cast<int>(at), static_cast<int>(at) + 6);
    QVERIFY(waitFor([&] { return m_window->explorer()->pattern(Side::A) != before && !m_window->worker()->busy(); }));
    const auto after = m_window->explorer()->pattern(Side::A);
    QCOMPARE(after->spans.size(), std::size_t{1});
    QCOMPARE(after->spans[0].role, Role::Key);
    QCOMPARE(after->prompt.tokens.at(after->spans[0].begin), std::string("grumpy"));
    Q_EMIT m_window->parts().prompt->segmentsCleared();
    QVERIFY(waitFor([&] { return m_window->explorer()->pattern(Side::A)->spans.empty(); }));
}

void TestWindowTools::bracketsStepThroughSamples()
{
    openModel();
    m_window->parts().mapA->view()->setFocus();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QTest::keyClick(m_window->parts().mapA->view(), ']');
    QVERIFY(waitFor([&] { return m_window->explorer()->prompt().sample == 1; }));
    QTest::keyClick(m_window->parts().mapA->view(), '[');
    QVERIFY(waitFor([&] { return m_window->explorer()->prompt().sample == 0; }));
    // In the text box a bracket is a bracket.
    auto* edit = m_window->parts().prompt->findChild<QPlainTextEdit*>();
    edit->setFocus();
    edit->moveCursor(QTextCursor::End);
    QTest::keyClick(edit, ']');
    QVERIFY(edit->toPlainText().endsWith(u']'));
    QVERIFY(waitFor([&] { return m_window->explorer()->prompt().task.empty(); }));
}

// A sample of a size that is no benchmark of the model was called free text.
void TestWindowTools::everySampleHasItsSource()
{
    openModel();
    const QString task = u"toy_kv:pairs=12"_s;
    m_window->worker()->ask(app::SampleRequest{task.toStdString(), 0});
    QVERIFY(waitFor([&] { return m_window->explorer()->prompt().task == task.toStdString(); }));
    QComboBox* source = nullptr;
    for (QComboBox* box : m_window->parts().prompt->findChildren<QComboBox*>())
        if (box->accessibleName() == u"Where the prompt comes from"_s)
            source = box;
    QVERIFY(source);
    QCOMPARE(source->currentData().toString(), task);
    QVERIFY(source->currentText().contains(u"12"_s));
}

void TestWindowTools::dataFolderIsRemembered()
{
    openModel();
    m_window->explorer()->state().setMetric(Side::A, "gather");
    QSignalSpy scored(m_window->explorer(), &gui::Explorer::scoresFinal);
    m_window->settings()->useDataFolder(m_folder.path());
    QVERIFY(scored.wait(kWait)); // generated tasks need no files
    QCOMPARE(m_window->explorer()->state().side(Side::A).metric, std::string("gather")); // the ranking began anew
    QCOMPARE(QSettings().value(u"data/folder"_s).toString(), m_folder.path());
    QSettings().remove(u"data/folder"_s);
}

void TestWindowTools::tourFindsItsHeadsByRanking()
{
    openModel();
    auto* guide = m_window->guide();
    QVERIFY(!guide->choices().isEmpty());
    guide->open(guide->choices().first().id);
    QVERIFY(idle(*m_window));
    auto* panel = m_window->parts().tour;
    QVERIFY(waitFor([&] { return panel->isVisible(); })); // the session says where it was left
    QVERIFY(waitFor([&] { return !m_window->explorer()->foundHead(Side::A, true).isEmpty(); }));
    const QString head = m_window->explorer()->foundHead(Side::A, true);
    for (qsizetype step = 0; step < guide->tour()->steps.size(); ++step) {
        Q_EMIT panel->stepRequested(static_cast<int>(step));
        QCOMPARE(guide->step(), static_cast<int>(step));
    }
    Q_EMIT panel->actionRequested(u"off {aggregate}"_s);
    QCOMPARE(m_window->explorer()->ablation(Side::A), head);
    QVERIFY(idle(*m_window));
    // What the tour says of this head is so: retrieval and choosing fall, knowledge stays.
    for (const widgets::ScoreboardRow& row : m_window->parts().scores->model()->rows()) {
        if (!row.unavailable.isEmpty())
            continue; // listed with the reason why it cannot be asked
        if (row.id == u"toy_knowledge"_s)
            QVERIFY(row.p > 0.05);
        else
            QVERIFY2(row.delta < -0.5, qPrintable(row.id));
    }
    Q_EMIT panel->actionRequested(u"on"_s);
    QVERIFY(m_window->explorer()->ablation(Side::A).isEmpty());
    Q_EMIT panel->closed();
    QVERIFY(!panel->isVisible());
}

void TestWindowTools::addTours()
{
    QTest::addColumn<QString>("tour");
    for (const gui::Tour& tour : gui::toursIn(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/tours"), u"en"_s))
        QTest::newRow(qPrintable(tour.id)) << tour.id;
}

void TestWindowTools::toursSayWhatModelsWrite_data()
{
    QTest::addColumn<QString>("tour");
    for (const gui::Tour& tour : gui::toursIn(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/tours"), u"en"_s))
        if (std::ranges::any_of(tour.outputs, [](const auto& step) { return !step.isEmpty(); }))
            QTest::newRow(qPrintable(tour.id)) << tour.id;
}

// Each claim of a tour is measured on the shipped models, controls and all, with the heads that the ranking finds.
void TestWindowTools::toursClaimWhatIsMeasured()
{
    QFETCH(const QString, tour);
    freshWindow();
    auto* guide = m_window->guide();
    guide->open(tour);
    auto* explorer = m_window->explorer();
    QVERIFY(waitFor([&] { return guide->tour() != nullptr; })); // it begins when its models are there
    QVERIFY(!guide->tour()->claims.isEmpty());
    const bool ranked = std::ranges::any_of(guide->tour()->claims,
                                            [](const gui::TourClaim& claim) { return claim.off.contains(u'{'); });
    const auto ready = [&](Side side) {
        return explorer->model(side) && (!ranked || !explorer->foundHead(side, true).isEmpty());
    };
    QVERIFY(waitFor([&] { return ready(Side::A); }));
    if (guide->tour()->models.size() > 1)
        QVERIFY(waitFor([&] { return ready(Side::B); }));
    QVERIFY(!ranked || idle(*m_window));
    QMap<QPair<QString, QString>, QList<gui::TourClaim>> runs; // by model and ablation
    for (const gui::TourClaim& claim : guide->tour()->claims) {
        const auto off = gui::resolved(claim.off, guide->found());
        QVERIFY2(off, qPrintable(claim.off));
        runs[{guide->tour()->models.at(claim.side == Side::A ? 0 : 1), *off}].append(claim);
    }
    for (auto run = runs.begin(); run != runs.end(); ++run) {
        QStringList arguments{u"--quiet"_s, u"--json"_s, u"score"_s, run.key().first};
        for (const gui::TourClaim& claim : run.value())
            arguments << u"--task"_s << claim.benchmark;
        for (const QString& item : run.key().second.split(u' ', Qt::SkipEmptyParts))
            arguments << u"--ablate"_s << item;
        QProcess cli;
        cli.start(QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI")), arguments);
        QVERIFY(cli.waitForFinished(kWait));
        QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError().constData());
        const auto results = nlohmann::json::parse(cli.readAllStandardOutput().toStdString())["results"];
        for (const gui::TourClaim& claim : run.value()) {
            const auto found = std::find_if(results.begin(), results.end(), [&](const auto& result) {
                return result["task"] == claim.benchmark.toStdString();
            });
            QVERIFY2(found != results.end(), qPrintable(claim.benchmark));
            const double value = (*found)["value"];
            const QString said =
                u"%1, %2 ablated: %3 %4"_s.arg(run.key().first, run.key().second, claim.benchmark).arg(value);
            qInfo("%s", qPrintable(said));
            if (claim.control)
                QVERIFY2((*found)["p"].get<double>() > 0.05, qPrintable(said));
            else
                QVERIFY2(value >= claim.low && value <= claim.high, qPrintable(said));
        }
    }
}

// What a tour says that a model writes, with the heads that the ranking finds.
void TestWindowTools::toursSayWhatModelsWrite()
{
    QFETCH(const QString, tour);
    freshWindow();
    auto* guide = m_window->guide();
    guide->open(tour);
    auto* explorer = m_window->explorer();
    QVERIFY(waitFor([&] { return guide->tour() && explorer->model(Side::A); }));
    for (const QList<gui::TourOutput>& step : guide->tour()->outputs)
        for (const gui::TourOutput& output : step) {
            QVERIFY(!output.off.contains(u'{')
                    || waitFor([&] { return gui::resolved(output.off, guide->found()).has_value(); }));
            const QString off = *gui::resolved(output.off, guide->found());
            const QString model = guide->tour()->models.at(output.side == Side::A ? 0 : 1);
            const QStringList sample = output.sample.split(u' ');
            QStringList arguments{u"--quiet"_s, u"--json"_s};
            if (output.sample.isEmpty())
                arguments += {u"generate"_s, model, u"--text"_s, output.text, u"--new-tokens"_s, u"6"_s};
            else
                arguments += {u"lens"_s, model, u"--task"_s, sample.value(0), u"--sample"_s, sample.value(1)};
            for (const QString& item : off.split(u' ', Qt::SkipEmptyParts))
                arguments << u"--ablate"_s << item;
            QProcess cli;
            cli.start(QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI")), arguments);
            QVERIFY(cli.waitForFinished(kWait));
            QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError().constData());
            const auto told = nlohmann::json::parse(cli.readAllStandardOutput().toStdString());
            QString written;
            if (output.sample.isEmpty()) {
                written = QString::fromStdString(told["text"].get<std::string>());
            } else {
                const auto& top = told["positions"].back()["layers"].back()["top"].front();
                written = QString::fromStdString(top["token"].get<std::string>());
                const double p = top["p"];
                QVERIFY2(p >= output.low && p <= output.high, qPrintable(u"%1 with %2"_s.arg(written).arg(p)));
            }
            const QString said = u"%1 without '%2' writes '%3', not '%4'"_s.arg(model, off, written, output.like);
            QVERIFY2(QRegularExpression(u"^\\s*(?:"_s + output.like + u')').match(written).hasMatch(),
                     qPrintable(said));
        }
}

// Each claim about an edge, over 32 pairs of the task, with the heads that the ranking finds.
void TestWindowTools::toursClaimEdgesThatAreMeasured()
{
    freshWindow();
    auto* guide = m_window->guide();
    guide->open(u"which-feeds-which"_s);
    auto* explorer = m_window->explorer();
    QVERIFY(waitFor([&] { return explorer->model(Side::A) && !explorer->foundHead(Side::A, true).isEmpty(); }));
    QVERIFY(idle(*m_window));
    QVERIFY(guide->tour()->edgeClaims.size() >= 3);
    for (const gui::TourEdgeClaim& claim : guide->tour()->edgeClaims) {
        const auto from = gui::resolved(claim.from, guide->found()), into = gui::resolved(claim.into, guide->found());
        QVERIFY2(from && into, qPrintable(claim.into));
        QProcess cli;
        cli.start(QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI")),
                  {u"--quiet"_s, u"--json"_s, u"edges"_s, guide->tour()->models.front(), u"--receiver"_s, *into,
                   u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"32"_s, u"--exchange"_s, claim.exchange});
        QVERIFY(cli.waitForFinished(kWait));
        QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError().constData());
        const auto edges = nlohmann::json::parse(cli.readAllStandardOutput().toStdString())["edges"];
        const auto found = std::find_if(edges.begin(), edges.end(),
                                        [&](const auto& edge) { return edge["sender"] == from->toStdString(); });
        QVERIFY2(found != edges.end(), qPrintable(*from));
        const double share = (*found)["normalised"];
        const QString said = u"%1 into %2, other %3: %4"_s.arg(*from, *into, claim.exchange).arg(share);
        qInfo("%s", qPrintable(said));
        QVERIFY2(share >= claim.low && share <= claim.high, qPrintable(said));
    }
}

// Each claim about who wrote what a head looks for, on the sample of the tour.
void TestWindowTools::toursClaimScoresThatAreMeasured()
{
    freshWindow();
    auto* guide = m_window->guide();
    guide->open(u"which-feeds-which"_s);
    auto* explorer = m_window->explorer();
    QVERIFY(waitFor([&] { return explorer->model(Side::A) && !explorer->foundHead(Side::A, true).isEmpty(); }));
    QVERIFY(idle(*m_window));
    QVERIFY(!guide->tour()->scoreClaims.isEmpty());
    Q_EMIT m_window->parts().tour->actionRequested(u"score {aggregate}"_s);
    auto* page = m_window->parts().why->scoreParts();
    QVERIFY(page->isVisible());
    QVERIFY(waitFor([&] { return !m_window->worker()->busy(); }));
    const auto pattern = explorer->pattern(Side::A);
    const auto asked = std::ranges::find_if(
        pattern->spans, [](const app::Span& span) { return span.target && span.role == Role::Value; });
    QVERIFY(asked != pattern->spans.end());
    const app::Prompt prompt = explorer->prompt();
    for (const gui::TourScoreClaim& claim : guide->tour()->scoreClaims) {
        const auto head = gui::resolved(claim.head, guide->found()),
                   writer = gui::resolved(claim.writer, guide->found());
        QVERIFY(head && writer);
        QProcess cli;
        cli.start(QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI")),
                  {u"--quiet"_s, u"--json"_s, u"why-score"_s, guide->tour()->models.front(), u"--head"_s, *head,
                   u"--task"_s, QString::fromStdString(prompt.task), u"--sample"_s, QString::number(prompt.sample),
                   u"--query"_s, QString::number(pattern->prompt.ids.size() - 1), u"--key"_s,
                   QString::number(asked->begin)});
        QVERIFY(cli.waitForFinished(kWait));
        QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError().constData());
        const auto told = nlohmann::json::parse(cli.readAllStandardOutput().toStdString());
        const auto& parts = told[claim.side.toStdString() + "_parts"];
        const auto found = std::find_if(parts.begin(), parts.end(),
                                        [&](const auto& part) { return part["part"] == writer->toStdString(); });
        QVERIFY2(found != parts.end(), qPrintable(*writer));
        const double value = (*found)["value"];
        QVERIFY2(value >= claim.low && value <= claim.high, qPrintable(QString::number(value)));
    }
}

// The button of a step traces what the step speaks of; the next step begins in the maps.
void TestWindowTools::aTourShowsItsEdges()
{
    freshWindow();
    auto* guide = m_window->guide();
    guide->open(u"which-feeds-which"_s);
    auto* explorer = m_window->explorer();
    QVERIFY(waitFor([&] { return explorer->model(Side::A) && !explorer->foundHead(Side::A, true).isEmpty(); }));
    QVERIFY(waitFor([&] { return !explorer->prompt().text.empty(); }));
    QVERIFY(idle(*m_window));
    Q_EMIT guide->edgesRequested(guide->found().value(u"{aggregate}"_s), u"binding"_s);
    const widgets::EdgePage& page = *m_window->parts().why->edges();
    QVERIFY(page.isVisible());
    QVERIFY(waitFor([&] { return !page.view(Side::A)->graph()->edges().edges.empty(); }));
    QCOMPARE(page.choice().pair.other, widgets::OtherPrompt::Binding);
    const widgets::EdgeData& edges = page.view(Side::A)->graph()->edges();
    QCOMPARE(edges.parts[static_cast<std::size_t>(edges.asked)].name, guide->found().value(u"{aggregate}"_s));
    QCOMPARE(edges.sender(edges.edges.front()), guide->found().value(u"{gather}"_s));
    Q_EMIT m_window->parts().tour->stepRequested(1);
    QVERIFY(!page.isVisible()); // nothing of another step is left
}

void TestWindowTools::everyStepHasItsWholeState()
{
    freshWindow();
    auto* guide = m_window->guide();
    auto* explorer = m_window->explorer();
    auto* panel = m_window->parts().tour;
    guide->open(u"two-steps"_s);
    QVERIFY(waitFor([&] { return guide->settled() && !m_window->worker()->busy(); }));
    const QString gather = explorer->foundHead(Side::A, false);
    Q_EMIT panel->stepRequested(2);
    QVERIFY(waitFor([&] { return guide->settled(); }));
    QVERIFY(explorer->ablation(Side::A).isEmpty()); // before the prediction
    predict(*panel, u"no"_s);
    QVERIFY(waitFor([&] { return guide->settled(); }));
    QCOMPARE(explorer->ablation(Side::A), gather);
    QCOMPARE(QString::fromStdString(explorer->prompt().task), u"toy_kv:pairs=8"_s);
    QCOMPARE(explorer->prompt().sample, 5);
    // Back: nothing of the later step is left; forward: as it was answered.
    button(*panel, u"Back"_s)->click();
    QCOMPARE(guide->step(), 1);
    QVERIFY(waitFor([&] { return guide->settled(); }));
    QVERIFY(explorer->ablation(Side::A).isEmpty());
    Q_EMIT panel->stepRequested(2);
    QVERIFY(waitFor([&] { return guide->settled(); }));
    QCOMPARE(panel->givenAnswer(), 1);
    QCOMPARE(explorer->ablation(Side::A), gather);
    // Another tour: nothing of this one.
    guide->open(u"sharp-and-smooth"_s);
    QVERIFY(waitFor([&] { return guide->settled() && explorer->hasModel(Side::B); }));
    QVERIFY(explorer->ablation(Side::A).isEmpty() && explorer->ablation(Side::B).isEmpty());
    QCOMPARE(panel->givenAnswer(), -1);
    guide->open(u"who-reads"_s);
    QVERIFY(waitFor([&] { return guide->settled() && !explorer->hasModel(Side::B); }));
    QCOMPARE(explorer->model(Side::A)->name, std::string("tiny-hybrid"));
    QVERIFY(idle(*m_window));
}

void TestWindowTools::predictionsComeBeforeTheEvidence()
{
    freshWindow();
    auto* guide = m_window->guide();
    guide->open(u"one-head"_s);
    QVERIFY(waitFor([&] { return guide->settled() && !m_window->worker()->busy(); }));
    const auto covers = [&] {
        int count = 0;
        for (const gui::TourMark* mark : m_window->parts().scores->findChildren<gui::TourMark*>())
            count += mark->kind() == gui::TourMark::Kind::Cover && mark->isVisible() ? 1 : 0;
        return count;
    };
    auto* panel = m_window->parts().tour;
    QCOMPARE(covers(), 0);
    Q_EMIT panel->stepRequested(3);
    QCOMPARE(covers(), 1);
    QVERIFY(!button(*panel, u"Next"_s)->isEnabled());
    predict(*panel, u"both"_s);
    QCOMPARE(covers(), 0);
    QVERIFY(button(*panel, u"Next"_s)->isEnabled());
    bool tempting = false; // a wrong answer is told why one may think so
    for (const QLabel* label : panel->findChildren<QLabel*>())
        tempting = tempting || label->text().contains(u"if the head were needed for everything"_s);
    QVERIFY(tempting);
    QVERIFY(idle(*m_window));
    guide->close();
    QVERIFY(m_window->findChildren<gui::TourMark*>().isEmpty());
}

// Every step of every tour: what it asks about is covered until it is answered, and what a later step is the first to
// ask about is covered or without colours until then.
void TestWindowTools::nothingIsSeenBeforeItIsAskedAbout()
{
    QFETCH(const QString, tour);
    freshWindow(); // in whose session nobody has answered
    auto* guide = m_window->guide();
    guide->open(tour);
    QVERIFY(waitFor([&] { return guide->tour() && guide->settled() && !m_window->worker()->busy(); }));
    const auto& parts = m_window->parts();
    const std::pair<QString, QWidget*> known[] = {{u"answers"_s, parts.prompt->answers()},
                                                  {u"mapA"_s, parts.mapA},
                                                  {u"mapB"_s, parts.mapB},
                                                  {u"patternA"_s, parts.patterns->card(Side::A)},
                                                  {u"patternB"_s, parts.patterns->card(Side::B)},
                                                  {u"scores"_s, parts.scores},
                                                  {u"chart"_s, parts.chart}};
    const auto hides = [](const QWidget& part, gui::TourMark::Kind kind) {
        const auto marks = part.findChildren<gui::TourMark*>(QString(), Qt::FindDirectChildrenOnly);
        return std::ranges::any_of(marks, [kind](const gui::TourMark* mark) { return mark->kind() == kind; });
    };
    for (int step = 0; step < guide->tour()->steps.size(); ++step) {
        Q_EMIT parts.tour->stepRequested(step);
        QVERIFY(waitFor([&] { return guide->settled() && !m_window->worker()->busy(); }));
        const QStringList now = guide->covered(), later = guide->askedLater();
        QCOMPARE(now, guide->tour()->scenes.at(step).cover);
        for (const auto& [name, part] : known) {
            const QByteArray which = QByteArray::number(step + 1) + ": " + name.toUtf8();
            QVERIFY2(hides(*part, gui::TourMark::Kind::Cover) == now.contains(name), which.constData());
            const bool map = name.startsWith(u"map"_s);
            QVERIFY2(hides(*part, gui::TourMark::Kind::Later) == (later.contains(name) && !map), which.constData());
            if (map && later.contains(name))
                QVERIFY2(!static_cast<widgets::HeadMapPanel*>(part)->model()->areValuesShown(), which.constData());
        }
        if (!guide->tour()->steps.at(step).question.isEmpty()) {
            guide->reveal();
            for (const QString& name : now)
                for (const auto& [each, part] : known)
                    QVERIFY2(each != name || !hides(*part, gui::TourMark::Kind::Cover), qPrintable(name));
        }
        // What a model says is covered where the question is what it says.
        if (tour == u"one-head"_s && step == 4)
            QVERIFY(now.contains(u"answers"_s));
        if (tour == u"one-head"_s && step == 0)
            QCOMPARE(later, QStringList{u"mapA"_s});
    }
    guide->close();
}

// Nothing of a tour ends in "…" on its card of the welcome page.
void TestWindowTools::aTourFitsItsCard()
{
    freshWindow();                         // the letters are the window's
    constexpr double kWide = 236 - 2 * 12; // as wide as it is in five columns
    for (const QString& language : {u"C"_s, u"de_AT"_s})
        for (const gui::Tour& tour : gui::toursIn(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/tours"), language)) {
            QFont bold = QApplication::font();
            bold.setBold(true);
            QVERIFY2(!widgets::wrapped(tour.title, bold, kWide, 1).elided, qPrintable(tour.title));
            QVERIFY2(!widgets::wrapped(tour.summary, QApplication::font(), kWide, 3).elided, qPrintable(tour.summary));
        }
}

void TestWindowTools::tourStartsFromTheWelcomePage()
{
    openModel();
    QAction* welcome = nullptr;
    for (QAction* action : m_window->findChildren<QAction*>())
        if (action->text().remove(u'&') == u"Welcome page"_s)
            welcome = action;
    QVERIFY(welcome);
    welcome->trigger();
    QVERIFY(m_window->parts().welcome->isVisible());
    Q_EMIT m_window->parts().welcome->tourChosen(u"one-head"_s);
    QVERIFY(waitFor([&] { return !m_window->parts().welcome->isVisible(); })); // once the session was asked
    QVERIFY(m_window->parts().tour->isVisible());
    QVERIFY(waitFor([&] { return m_window->guide()->settled(); }));
    m_window->guide()->close();
}

void TestWindowTools::finderFindsCommandsHeadsAndTokens()
{
    openModel();
    auto* finder = m_window->finder();
    const auto choose = [&](const QString& text) {
        finder->open();
        finder->finder()->setText(text);
        const auto listed = finder->finder()->listed();
        QVERIFY2(!listed.isEmpty(), qPrintable(text));
        finder->finder()->hide();
        Q_EMIT finder->finder()->chosen(listed.first().id);
    };
    choose(u"l3h6"_s);
    QCOMPARE(m_window->explorer()->state().side(Side::A).head.layer, 3);
    QCOMPARE(m_window->explorer()->state().side(Side::A).head.head, 6);
    choose(u"“is”"_s);
    QVERIFY(m_window->explorer()->state().side(Side::A).lockedRow > 10);
    m_window->explorer()->changeAblation(Side::A, off(u"L3H6"_s), u"x"_s);
    choose(u"undo"_s);
    QVERIFY(m_window->explorer()->ablation(Side::A).isEmpty());
    choose(u"MC"_s);
    QVERIFY(waitFor([&] { return m_window->explorer()->prompt().task == "toy_mc"; }));
    // Every command of the menus is there.
    finder->open();
    for (const QString& command : {u"Keys"_s, u"Larger text"_s, u"Figure for a paper or a talk …"_s, u"Lecture"_s}) {
        finder->finder()->setText(command);
        QVERIFY2(!finder->finder()->listed().isEmpty() && finder->finder()->listed().first().title == command,
                 qPrintable(command));
    }
    finder->finder()->hide();
    QVERIFY(idle(*m_window));
}

void TestWindowTools::lectureIsShownAndLeft()
{
    openModel();
    m_window->explorer()->openModel(Side::B, u"tiny-ssm"_s);
    QVERIFY(waitFor([&] { return m_window->explorer()->pattern(Side::B) && !m_window->worker()->busy(); }));
    auto* lecture = m_window->lecture();
    lecture->toggle();
    QVERIFY(lecture->isOpen());
    auto* view = lecture->view();
    for (const auto& [size, side] : {std::pair(QSize(1440, 900), 490.0), std::pair(QSize(1280, 720), 380.0)}) {
        view->resize(size);
        for (const Side each : kSides) {
            const QRectF map = view->mapRect(each);
            QVERIFY2(map.width() >= side && map.height() >= side, qPrintable(QString::number(map.width())));
            QVERIFY(QRectF(view->rect()).contains(map));
        }
        QVERIFY(!view->mapRect(Side::A).intersects(view->mapRect(Side::B)));
    }
    view->resize(1440, 900);
    QVERIFY(view->promptPixels() >= 20);
    QVERIFY(!view->lecture().sentence.isEmpty());
    QTest::keyClick(view, Qt::Key_1);
    QVERIFY(view->mapRect(Side::B).isEmpty() && view->mapRect(Side::A).width() >= 490);
    QTest::keyClick(view, Qt::Key_1);
    QTest::keyClick(view, Qt::Key_H);
    QVERIFY(view->scoresHidden());
    m_window->explorer()->showHead(Side::A, {2, widgets::HeadKind::Attention, 5, 1});
    QTest::keyClick(view, Qt::Key_X);
    QCOMPARE(m_window->explorer()->ablation(Side::A), u"L2H5"_s);
    QVERIFY(waitFor([&] { return view->lecture().a.map.notice == u"output ablated"_s; }));
    QVERIFY(waitFor([&] { // what it says follows
        const auto& answer = view->lecture().a.answer;
        return answer && answer->verdict == widgets::ModelAnswer::Verdict::WasRight && !answer->before.isEmpty();
    }));
    QTest::keyClick(view, Qt::Key_X);
    QVERIFY(m_window->explorer()->ablation(Side::A).isEmpty());
    QTest::keyClick(view, Qt::Key_Escape);
    QVERIFY(!lecture->isOpen());
    m_window->explorer()->closeB();
    QVERIFY(idle(*m_window));
}

// Where the focus is on something that Escape closes or releases, the key does that first, and then stops all work.
void TestWindowTools::escapeIsForWhatHasTheFocus()
{
    openModel();
    QVERIFY(idle(*m_window));
    auto& messages = *m_window->parts().messages;
    messages.showMessage(widgets::MessageBar::Kind::Info, u"Saved."_s);
    messages.setFocus();
    QVERIFY(messages.hasFocus());
    QTest::keyClick(&messages, Qt::Key_Escape);
    QVERIFY(messages.text() != u"Saved."_s);
    auto& pattern = *m_window->parts().patternA;
    pattern.setFocus();
    for (const Qt::Key key : {Qt::Key_PageDown, Qt::Key_Space})
        QTest::keyClick(&pattern, key);
    const int& locked = m_window->state()->side(Side::A).lockedRow;
    QVERIFY(locked >= 0);
    const QSignalSpy stopped(m_window->worker(), &app::Door::cancelled);
    m_window->worker()->ask(app::RankRequest{Side::A, "toy_kv:pairs=8", 256});
    QTest::keyClick(&pattern, Qt::Key_Escape);
    QCOMPARE(locked, -1);
    QVERIFY(m_window->worker()->isRunning<app::RankRequest>(Side::A));
    QTest::keyClick(&pattern, Qt::Key_Escape);
    QVERIFY(waitFor([&] { return !m_window->worker()->isRunning<app::RankRequest>(Side::A); }));
    QVERIFY(!stopped.isEmpty());
    QVERIFY(idle(*m_window));
}

void TestWindowTools::mapsAreTakenAway()
{
    openModel();
    const widgets::PatternData& map = m_window->parts().patternA->pattern();
    const auto pattern = m_window->explorer()->pattern(Side::A);
    const QString npy = m_folder.filePath(u"map.npy"_s);
    QVERIFY(gui::saveMatrix(map, npy).has_value());
    QFile file(npy);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith("\x93NUMPY"));
    QVERIFY(bytes.contains("'descr': '<f4', 'fortran_order': False, 'shape': (54, 54)"));
    QCOMPARE(bytes.size() % 64, static_cast<qsizetype>(54 * 54 * sizeof(float)) % 64);
    float last = 0;
    std::memcpy(&last, bytes.constData() + bytes.size() - sizeof(float), sizeof(float));
    QCOMPARE(last, pattern->matrix.at(53, 53));
    const QString tensors = m_folder.filePath(u"map.safetensors"_s);
    QVERIFY(gui::saveMatrix(map, tensors).has_value());
    {
        const auto written = io::SafetensorsFile::open(tensors.toStdString());
        QVERIFY(written.has_value());
        QVERIFY((*written)->find(gui::mapName(map).toStdString()));
        QCOMPARE((*written)->metadata().at("head"), map.head.toStdString());
        QCOMPARE((*written)->metadata().at("meaning"), map.meaning.toStdString());
    }
    QVERIFY(gui::saveMatrix(map, m_folder.filePath(u"map.csv"_s)).has_value());
    QFile table(m_folder.filePath(u"map.csv"_s));
    QVERIFY(table.open(QIODevice::ReadOnly));
    QVERIFY(table.readLine().startsWith("position,text,token,\"<s>\","));
    const QByteArray first = table.readLine();
    QVERIFY2(first.startsWith("0,\"<s>\",\"<s>\",1,0,"), first.left(40).constData());
    QVERIFY(!gui::saveMatrix(map, m_folder.filePath(u"map.doc"_s)).has_value());
    // All heads of its layer, and of the model, as one archive: uncompressed, so that each map lies in it as written.
    const testing::ReplyRecorder<app::MapsRequest> saved(*m_window->worker());
    const app::Prompt& prompt = m_window->explorer()->state().promptOf(Side::A);
    const QString one = m_folder.filePath(u"layer.npz"_s), all = m_folder.filePath(u"model.npz"_s);
    m_window->worker()->ask(
        app::MapsRequest{Side::A, prompt, {pattern->request, pattern->request.head.layer, one.toStdString()}});
    QVERIFY(waitFor([&] { return saved.replies.size() == 1; }));
    m_window->worker()->ask(app::MapsRequest{Side::A, prompt, {pattern->request, -1, all.toStdString()}});
    QVERIFY(waitFor([&] { return saved.replies.size() == 2; }));
    const auto contents = [](const QString& path) {
        QFile archive(path);
        return archive.open(QIODevice::ReadOnly) ? archive.readAll() : QByteArray();
    };
    const QByteArray name = map.head.section(u' ', -1).toLatin1() + ".npy";
    for (const auto& [path, heads] : {std::pair(one, 8), std::pair(all, 32)}) {
        QCOMPARE(contents(path).count(".npy"), qsizetype{2} * heads); // before each map, and in the list at the end
        QVERIFY2(contents(path).contains(name), name.constData());
        QVERIFY(contents(path).contains(bytes));
    }
    QVERIFY2(m_window->parts().messages->text().contains(u"32 heads"_s),
             qPrintable(m_window->parts().messages->text()));
    QMenu* menu = m_window->findChild<gui::MapMenu*>()->menuFor(Side::A, m_window.get());
    const auto whole = std::ranges::count_if(menu->actions(), [](const QAction* action) {
        return action->isEnabled() && action->text().contains(u"all heads"_s);
    });
    QCOMPARE(whole, 2);
    // A skipped layer has no maps: they are left out, and counted.
    app::MapsFile without{pattern->request, -1, all.toStdString()};
    without.like.ablation = *interventions::InterventionSet::parse("skip:L1");
    m_window->worker()->ask(app::MapsRequest{Side::A, prompt, without});
    QVERIFY(waitFor([&] { return saved.replies.size() == 3; }));
    const auto told = saved.replies.back();
    QCOMPARE(told->heads, 24);
    QCOMPARE(told->without, 8);
    const QStringList lines = gui::valuesText(map)->split(u'\n');
    QCOMPARE(lines.size(), 54 + 3); // tokens, rows, what it is of, the end
    QCOMPARE(lines.at(1).split(u'\t').size(), 55);
    QVERIFY(lines.at(55).contains(u"tiny-transformer"_s));
}

// A menu stays open while what it is of goes away.
void TestWindowTools::theMenuOfAMapThatIsGoneDoesNothing()
{
    openModel();
    m_window->openModels(u"tiny-transformer"_s, u"tiny-transformer"_s);
    QVERIFY(waitFor([&] { return m_window->explorer()->pattern(Side::B) != nullptr; }));
    QMenu* menu = m_window->findChild<gui::MapMenu*>()->menuFor(Side::B, m_window.get());
    for (const QAction* action : menu->actions())
        QVERIFY(action->isSeparator() || action->isEnabled());
    m_window->explorer()->closeB();
    m_window->parts().patterns->view(Side::B)->clearPattern(QString());
    QStringList dialogs;
    for (QAction* action : menu->actions()) {
        if (action->isSeparator() || action->text().startsWith(u"&Figure"_s)) // that has a dialog of its own
            continue;
        QTimer::singleShot(100, this, [&dialogs, action] {
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
                dialogs.append(action->text());
                dialog->reject();
            }
        });
        action->trigger();
        QTest::qWait(150);
        if (action->text() == u"Copy &values"_s)
            QCOMPARE(m_window->parts().messages->text(), u"There is no map."_s);
    }
    QVERIFY2(!dialogs.join(u' ').contains(u"all heads"_s), qPrintable(dialogs.join(u", "_s)));
}

void TestWindowTools::regionsAreReachedByKey()
{
    openModel();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    const auto& parts = m_window->parts();
    parts.mapA->view()->setFocus();
    for (const auto& [key, part] : {std::pair(Qt::Key_P, static_cast<QWidget*>(parts.patternA)),
                                    std::pair(Qt::Key_S, static_cast<QWidget*>(parts.scores->cost())),
                                    std::pair(Qt::Key_1, static_cast<QWidget*>(parts.mapA->view()))}) {
        QTest::keyClick(QApplication::focusWidget(), key);
        QVERIFY2(part->hasFocus(), part->metaObject()->className());
    }
    QSet<QWidget*> seen;
    for (int i = 0; i < 6; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        seen.insert(QApplication::focusWidget());
    }
    QVERIFY(seen.size() >= 4);
    // No two menus answer to one letter.
    QSet<QChar> letters;
    for (const QAction* action : m_window->findChild<QMenuBar*>()->actions()) {
        const qsizetype at = action->text().indexOf(u'&');
        QVERIFY2(at >= 0, qPrintable(action->text()));
        const QChar letter = action->text().at(at + 1).toLower();
        QVERIFY2(!letters.contains(letter), qPrintable(action->text()));
        letters.insert(letter);
    }
}

void TestWindowTools::welcomeListsModelsSessionsAndTours()
{
    freshWindow();
    auto* page = m_window->parts().welcome;
    QVERIFY(page->isVisible());
    QStringList names;
    for (const QAbstractButton* each : page->findChildren<QAbstractButton*>())
        names += each->text();
    for (const QString& name : {u"tiny-transformer"_s, u"org/good"_s, u"org/half"_s})
        QVERIFY2(names.contains(name), qPrintable(name));
    QVERIFY(names.contains(m_window->guide()->choices().first().name));
    // The model of the cache opens.
    for (widgets::Chip* chip : page->findChildren<widgets::Chip*>())
        if (chip->text() == u"org/good"_s)
            chip->click();
    QVERIFY(waitFor([&] { return m_window->explorer()->hasModel(Side::A); }));
    QCOMPARE(m_window->explorer()->model(Side::A)->name, std::string("org/good"));
    QVERIFY(!page->isVisible());
}

// The claim on the page is measured in front of whoever reads it.
void TestWindowTools::welcomeShowsTwoModelsAtWork()
{
    freshWindow();
    auto* demo = m_window->parts().welcome->demo();
    const auto switches = demo->findChildren<widgets::SwitchButton*>();
    QCOMPARE(switches.size(), 2);
    const auto answered = [&](Side side, bool right) {
        return waitFor([&] { return demo->isAnswered(side) && demo->isRight(side) == right; });
    };
    for (const Side side : kSides)
        QVERIFY(answered(side, true));
    const QString value = demo->answer(Side::A);
    QCOMPARE(demo->answer(Side::B), value);
    for (const Side side : kSides) {
        switches[static_cast<qsizetype>(indexOf(side))]->click();
        QVERIFY(answered(side, false));
        QVERIFY(demo->answer(side) != value);
        switches[static_cast<qsizetype>(indexOf(side))]->click();
        QVERIFY(answered(side, true));
        QCOMPARE(demo->answer(side), value);
    }
    // It is nobody's model, and goes with the page.
    QVERIFY(!m_window->explorer()->hasModel(Side::A));
    openModel();
    QVERIFY(!demo->isVisible());
}

void TestWindowTools::ownWordsOpenTwoModelsWithAnExample()
{
    freshWindow();
    auto* explorer = m_window->explorer();
    Q_EMIT m_window->parts().welcome->ownWordsRequested();
    QVERIFY(waitFor([&] { return explorer->hasModel(Side::A) && explorer->hasModel(Side::B); }));
    QCOMPARE(explorer->model(Side::A)->name, std::string("small-transformer"));
    QCOMPARE(explorer->model(Side::B)->name, std::string("small-ssm"));
    QVERIFY(explorer->prompt().text.starts_with("Memorize the dictionary:"));
    // The learner's own words stay while the tour about them is read.
    explorer->usePrompt({.text = "Memorize the dictionary:\nmy hat: 12\nmy cat: 31\nThe value of the key 'my cat' is"});
    m_window->guide()->open(u"own-words"_s);
    QVERIFY(waitFor([&] { return m_window->guide()->settled(); }));
    QVERIFY(explorer->prompt().text.find("my cat: 31") != std::string::npos);
    Q_EMIT m_window->parts().tour->actionRequested(u"type Once upon a time\nthere was"_s);
    QCOMPARE(explorer->prompt().text, std::string("Once upon a time\nthere was"));
    // Two models that read no such words open with a sample of their own.
    Q_EMIT m_window->parts().welcome->compareRequested();
    QVERIFY(waitFor([&] {
        return explorer->model(Side::A)->name == "tiny-transformer" && explorer->pattern(Side::A)
               && explorer->pattern(Side::B) && !explorer->prompt().task.empty();
    }));
}

// In German too: what a term is translated to has an entry there.
void TestWindowTools::everyTermIsExplained()
{
    QFile translation(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/translations/headscope_de.ts"));
    QVERIFY(translation.open(QIODevice::ReadOnly));
    const QString german = QString::fromUtf8(translation.readAll());
    const auto entries =
        gui::glossaryEntries(gui::manualPages(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/manual"), u"de"_s));
    const auto check = [&](const widgets::TermButton& button) {
        QVERIFY2(button.isVisibleTo(button.parentWidget()) && button.toolTip().size() > 40, qPrintable(button.term()));
        const QRegularExpression message(u"<source>"_s + QRegularExpression::escape(button.term())
                                         + u"</source>\\s*<translation>(.*?)</translation>"_s);
        const QString term = message.match(german).captured(1);
        QVERIFY2(entries.contains(term), qPrintable(button.term() + u": "_s + term));
    };
    QTabWidget* analyses = m_window->parts().why->tabs();
    QStringList terms;
    for (int tab = 0; tab < analyses->count(); ++tab) {
        analyses->setCurrentIndex(tab);
        const auto* button = qobject_cast<widgets::TermButton*>(analyses->cornerWidget(Qt::TopRightCorner));
        QVERIFY(button);
        check(*button);
        terms.append(button->term());
    }
    QCOMPARE(QSet<QString>(terms.begin(), terms.end()).size(), terms.size());
    for (const QDockWidget* dock : m_window->findChildren<QDockWidget*>())
        for (const auto* button : dock->titleBarWidget()->findChildren<widgets::TermButton*>())
            if (!button->term().isEmpty())
                check(*button);
}

void TestWindowTools::droppedFolderOpens()
{
    freshWindow();
    QMimeData mime;
    const QString folder = m_folder.filePath(u"my-model"_s);
    std::filesystem::copy(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer", folder.toStdString());
    mime.setUrls({QUrl::fromLocalFile(folder)});
    QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(m_window->parts().welcome, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(m_window->parts().welcome, &drop);
    QVERIFY(drop.isAccepted());
    QVERIFY(idle(*m_window));
    QCOMPARE(m_window->explorer()->model(Side::A)->name, std::string("my-model"));
    QCOMPARE(m_window->parts().prompt->findChild<QComboBox*>()->currentText(),
             u"my-model"_s); // it is in no list, and shown all the same
}

void TestWindowTools::everythingHasAName()
{
    openModel();
    m_window->parts().continuation->begin(Side::A, {});
    m_window->parts().flips->show();
    m_window->guide()->open(m_window->guide()->choices().first().id);
    QVERIFY(idle(*m_window));
    QStringList nameless;
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
        // What a keyboard or a screen reader comes to: visible, takes the focus, is no inner part of another widget.
        if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith(u"qt_"_s))
            continue;
        QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
        if (!interface || interface->text(QAccessible::Name).trimmed().isEmpty())
            nameless +=
                QString::fromLatin1(widget->metaObject()->className()) + u" in "_s
                + QString::fromLatin1(widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "");
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u"; "_s)));
    // The regions say what they are for.
    for (QWidget* region :
         {static_cast<QWidget*>(m_window->parts().mapA), static_cast<QWidget*>(m_window->parts().patternA),
          static_cast<QWidget*>(m_window->parts().scores), static_cast<QWidget*>(m_window->parts().prompt),
          static_cast<QWidget*>(m_window->parts().flips),
          static_cast<QWidget*>(m_window->parts().patterns->profile(Side::A)),
          static_cast<QWidget*>(m_window->parts().chart), static_cast<QWidget*>(m_window->parts().removal)})
        QVERIFY2(!region->whatsThis().isEmpty(), region->metaObject()->className());
}

// Who ends the asking has answered: Qt's own filter is gone with it, and else goes on.
void TestWindowTools::askingWhatThisIsEndsWithAnAnswer()
{
    openModel();
    m_window->parts().flips->show();
    QListWidget unexplained(m_window.get()); // nothing that it is in says what it is for
    unexplained.addItem(u"an item"_s);
    unexplained.show();
    QStringList silent;
    int lists = 0;
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
        const QPoint middle = widget->rect().center();
        lists += qobject_cast<QAbstractItemView*>(widget->parentWidget()) ? 1 : 0;
        QWhatsThis::enterWhatsThisMode();
        QHelpEvent asked(QEvent::WhatsThis, middle, widget->mapToGlobal(middle));
        const bool answered = QApplication::sendEvent(widget, &asked) && asked.isAccepted();
        if (!answered && !QWhatsThis::inWhatsThisMode())
            silent += QLatin1StringView(widget->metaObject()->className()) + u' ' + widget->objectName() + u" in "_s
                      + QLatin1StringView(widget->parentWidget()->metaObject()->className());
        QWhatsThis::leaveWhatsThisMode();
        QWhatsThis::hideText();
    }
    QVERIFY2(silent.isEmpty(), qPrintable(silent.join(u"; "_s)));
    QVERIFY(lists > 10);

    for (QWidget* list : {m_window->parts().mapA->view()->viewport(), unexplained.viewport()}) { // as a person does it
        QWhatsThis::enterWhatsThisMode();
        QTest::mouseClick(list, Qt::LeftButton, {}, QPoint(3, 3));
        QVERIFY(!QWhatsThis::inWhatsThisMode());
        QWhatsThis::hideText();
    }
}

// A dock is let go of somewhere, and before it is in its place the docks are hidden and shown again.
void TestWindowTools::docksComeBackBehindADrag()
{
    openModel();
    auto* layout = m_window->findChild<gui::DockLayout*>();
    const auto dock = [&](const QString& name) { return m_window->findChild<QDockWidget*>(name); };
    QVERIFY(layout);
    for (int round = 0; round < 10; ++round) {
        m_window->resize(1440, 900);
        layout->reset();
        m_window->tabifyDockWidget(dock(u"heads"_s), dock(u"runs"_s));
        m_window->tabifyDockWidget(dock(u"scores"_s), dock(u"chart"_s));
        QTest::qWait(20);
        QWindow* window = m_window->windowHandle();
        QDockWidget* held = dock(round % 2 == 0 ? u"chart"_s : u"runs"_s);
        held->raise();
        const QPoint from = held->mapTo(m_window.get(), QPoint(30, 8));
        const QPoint to(200 + 100 * round, 300);
        QTest::mousePress(window, Qt::LeftButton, {}, from);
        for (int step = 1; step <= 4; ++step)
            QTest::mouseMove(window, from + (to - from) * step / 4);
        QTest::mouseRelease(window, Qt::LeftButton, {}, to);
        layout->hideAll();
        layout->showAll();
        QVERIFY(!dock(u"heads"_s)->isHidden() && !held->isHidden());
    }
    layout->reset();
}

/// Ends the test where a widget is resized without end, and names it: a layout that changes what it is made from.
class ResizeWatch : public QObject
{
public:
    ResizeWatch() { qApp->installEventFilter(this); }
    void begin() { m_resized.clear(); }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize && ++m_resized[watched] > 500) {
            QString path;
            for (const QObject* object = watched; object; object = object->parent())
                path += QLatin1StringView(object->metaObject()->className()) + u' ' + object->objectName() + u", "_s;
            qFatal("resized without end: %s", qPrintable(path));
        }
        return false;
    }

private:
    QHash<QObject*, int> m_resized;
};

// The window changes, or closes, while a card or a separator is dragged. Freed memory is overwritten, so that reading
// it crashes.
void TestWindowTools::aDragIsLeftUnfinished()
{
    mallopt(M_PERTURB, 165);
    ResizeWatch watch;
    std::mt19937 random(20261130);
    const auto below = [&](int limit) { return std::uniform_int_distribution(0, limit - 1)(random); };
    for (int round = 0; round < 8; ++round) {
        freshWindow();
        auto* layout = m_window->findChild<gui::DockLayout*>();
        layout->showAll();
        const QByteArray arrangement = layout->arrangement();
        const auto docks = m_window->findChildren<QDockWidget*>();
        for (int step = 0; step < 24; ++step) {
            watch.begin();
            const QDockWidget* dock = docks.at(below(int(docks.size())));
            QWindow* window = m_window->windowHandle();
            switch (below(8)) {
            case 0: layout->reset(); break;
            case 1: layout->hideAll(); break;
            case 2: layout->arrange(arrangement); break;
            case 3: layout->setTouring(step % 2 == 0); break;
            case 4: layout->remember(); break;
            default:
                layout->showAll();
                if (dock->isHidden() || dock->isFloating())
                    break;
                // By its heading, or by the separator beside it.
                const QPoint from =
                    dock->mapTo(m_window.get(), below(3) > 0 ? QPoint(30, 8) : QPoint(30, dock->height() + 1));
                QTest::mouseMove(window, from);
                QTest::mousePress(window, Qt::LeftButton, {}, from);
                for (int move = 0; move < 3; ++move)
                    QTest::mouseMove(window, {below(window->width()), below(window->height())});
                if (below(3) == 0)
                    QTest::mouseRelease(window, Qt::LeftButton, {}, {below(window->width()), below(window->height())});
            }
            if (below(2) == 0)
                QCoreApplication::processEvents();
        }
    }
    m_window.reset();
    mallopt(M_PERTURB, 0);
}

// Its maps once took their width from their height, and the height of the words beside them from that width: a layout
// without an end.
void TestWindowTools::theWelcomePageFitsAnyRoom()
{
    freshWindow();
    auto* page = m_window->findChild<widgets::WelcomePage*>();
    QVERIFY(page && page->isVisible());
    QVERIFY(waitFor([&] { return !m_window->worker()->busy(); })); // the maps are there
    std::mt19937 random(1);
    const auto between = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    for (int i = 0; i < 300; ++i) {
        page->resize(between(300, 1700), between(200, 1100));
        QCoreApplication::processEvents();
    }
}

void TestWindowTools::everyActionIsReachable()
{
    openModel();
    QHash<QString, QString> taken;
    const auto menus = m_window->findChild<QMenuBar*>()->findChildren<QMenu*>();
    QVERIFY(menus.size() >= 6);
    for (const QMenu* menu : menus)
        for (const QAction* action : menu->actions()) {
            if (action->isSeparator())
                continue;
            QVERIFY2(!action->text().isEmpty(), qPrintable(menu->title()));
            for (const QKeySequence& keys : action->shortcuts()) {
                QVERIFY2(
                    !taken.contains(keys.toString()),
                    qPrintable(keys.toString() + u": "_s + taken.value(keys.toString()) + u", "_s + action->text()));
                taken.insert(keys.toString(), action->text());
            }
        }
}

void TestWindowTools::rankingsTellWhatTheyTake()
{
    m_window.reset(); // one that nobody has asked anything yet
    openModel();
    QAction* exact = nullptr;
    QMenu* run = nullptr;
    for (QMenu* menu : m_window->findChild<QMenuBar*>()->findChildren<QMenu*>())
        for (QAction* action : menu->actions())
            if (action->shortcut() == QKeySequence(Qt::Key_F5)) {
                exact = action;
                run = menu;
            }
    QVERIFY(exact);
    const QString title = exact->text();
    QVERIFY(!title.contains(u"about"_s)); // nobody has asked yet
    // The finder has every menu filled and shows none: nothing is asked for.
    const testing::ReplyRecorder<app::ForecastRequest> asked(*m_window->worker());
    m_window->findChild<gui::CommandFinder*>()->open();
    QVERIFY(waitFor([&] { return !m_window->worker()->busy(); }));
    QTest::keyClick(QApplication::activeWindow(), Qt::Key_Escape);
    QVERIFY(asked.replies.empty());
    QCOMPARE(exact->text(), title);
    run->popup(QPoint());
    QVERIFY(waitFor([&] { return exact->text() != title; }));
    run->close();
    QVERIFY2(exact->text().startsWith(title) && exact->text().contains(u" s, "_s) && exact->text().endsWith(u"B"_s),
             qPrintable(exact->text()));
    QVERIFY(waitFor([&] { return !m_window->worker()->busy(); }));
    // Of another model it is asked anew, and nothing is claimed until then.
    m_window->openModels(u"tiny-ssm"_s, {});
    QVERIFY(idle(*m_window));
    run->popup(QPoint());
    QCOMPARE(exact->text(), title);
    QVERIFY(waitFor([&] { return exact->text() != title; }));
    run->close();
}

QTEST_MAIN(TestWindowTools)
#include "tst_windowtools.moc"
