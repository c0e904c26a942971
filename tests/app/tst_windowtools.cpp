// SPDX-License-Identifier: GPL-3.0-or-later
// What surrounds the explorer's loop, in the whole window on a shipped model: continuing a prompt, flips, comparing
// runs, charts, prompts, tours, the welcome page, and whether everything has a name for a screen reader.
#include "app/gui/explorer.h"
#include "app/window/mainwindow.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/tours/tourguide.h"

#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QListWidget>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <fstream>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::MainWindow;

namespace {

constexpr int kWait = 60000; // slow machines; nothing here is timed

template <typename Predicate> bool waitFor(Predicate predicate)
{
    return QTest::qWaitFor(predicate, kWait);
}

bool idle(MainWindow& window)
{
    return waitFor([&] { return !window.client()->busy() && window.explorer()->pattern(Side::A) != nullptr; });
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
    void droppedFolderOpens();
    void continuesThePromptAndFollowsTheHeads();
    void stopKeepsWhatIsWritten();
    void flippedExampleBecomesThePrompt();
    void twoRunsAreComparedOnTheSameExamples();
    void topHeadsCostMoreThanRandomOnes();
    void marksComeWithSamplesAndByHand();
    void bracketsStepThroughSamples();
    void everySampleHasItsSource();
    void dataFolderIsRemembered();
    void tourFindsItsHeadsByRanking();
    void whatToursSayIsSo_data();
    void whatToursSayIsSo();
    void everythingHasAName();
    void everyActionIsReachable();

private:
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
        return !m_window->client()->busy() && explorer->model(Side::A);
    })); // the prompt before may be none that has a pattern
    m_window->client()->requestSample(u"toy_kv:pairs=8"_s, 0);
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

void TestWindowTools::stopKeepsWhatIsWritten()
{
    openModel();
    auto* view = m_window->parts().continuation;
    view->begin(Side::A, {});
    QSignalSpy parts(m_window->client(), &gui::BackendClient::continuationReady);
    m_window->client()->requestContinuation(Side::A, m_window->explorer()->prompt(), {}, {.tokens = 900});
    QVERIFY(parts.wait(kWait));
    QSignalSpy cancelled(m_window->client(), &gui::BackendClient::cancelled);
    m_window->client()->stop(gui::BackendClient::Kind::Continue, Side::A);
    QVERIFY(cancelled.wait(kWait));
    QVERIFY(!view->running());
    const auto written = view->text(Side::A)->words().size();
    QVERIFY(written >= 1 && written < 900);
    // Longer than the model reads: as far as it goes, and it says so.
    parts.clear();
    m_window->client()->requestContinuation(Side::A, m_window->explorer()->prompt(), {}, {.tokens = 4000});
    m_window->client()->stop(gui::BackendClient::Kind::Continue, Side::A);
    QVERIFY(waitFor([&] { return !m_window->client()->busy(); }));
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
               && pattern->spans.size() > 0 && !m_window->client()->busy();
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
        if (run.name == u"L3H0 off"_s)
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
    QSignalSpy curves(m_window->client(), &gui::BackendClient::removalCurveReady);
    QTest::keyClick(m_window.get(), Qt::Key_F6);
    QVERIFY(waitFor([&] {
        return !curves.isEmpty() && curves.last().at(1).value<std::shared_ptr<const app::RemovalCurveReply>>()->final;
    }));
    const auto curve = curves.last().at(1).value<std::shared_ptr<const app::RemovalCurveReply>>();
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
    QVERIFY(waitFor([&] { return !m_window->client()->busy(); }));
    const auto before = m_window->explorer()->pattern(Side::A);
    QVERIFY(before->spans.empty());
    const qsizetype at = edit->toPlainText().indexOf(u"grumpy"_s);
    Q_EMIT m_window->parts().prompt->segmentMarked(Role::Key, static_cast<int>(at), static_cast<int>(at) + 6);
    QVERIFY(waitFor([&] { return m_window->explorer()->pattern(Side::A) != before && !m_window->client()->busy(); }));
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
    m_window->client()->requestSample(task, 0);
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
    QVERIFY(panel->isVisible());
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
            continue; // listed with the reason why it can not be asked
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

void TestWindowTools::whatToursSayIsSo_data()
{
    QTest::addColumn<QString>("tour");
    QTest::addColumn<QString>("command");
    QTest::addColumn<bool>("knowledgeStays"); // where the tour says so
    QTest::newRow("gathering") << u"two-steps"_s << u"off {gather}"_s << true;
    QTest::newRow("head of the SSM") << u"sharp-and-smooth"_s << u"off {aggregateB}"_s << true;
    QTest::newRow("head of the hybrid") << u"who-reads"_s << u"off {aggregate}"_s << true;
    QTest::newRow("last row") << u"who-reads"_s << u"set lastrow:*"_s << false;
    QTest::newRow("SSM heads together") << u"who-reads"_s << u"set L2H*"_s << false;
}

void TestWindowTools::whatToursSayIsSo()
{
    QFETCH(const QString, tour);
    QFETCH(const QString, command);
    QFETCH(const bool, knowledgeStays);
    const Side side = command.endsWith(u"B}"_s) ? Side::B : Side::A;
    if (!m_window || !m_window->guide()->tour() || m_window->guide()->tour()->id != tour) {
        freshWindow();
        m_window->guide()->open(tour);
    }
    auto* explorer = m_window->explorer();
    QVERIFY(waitFor(
        [&] { return explorer->model(side) && !explorer->foundHead(side, !command.contains(u"gather"_s)).isEmpty(); }));
    QVERIFY(idle(*m_window));
    Q_EMIT m_window->parts().tour->actionRequested(command);
    QVERIFY(!explorer->ablation(side).isEmpty());
    QVERIFY(idle(*m_window));
    int rows = 0;
    for (const widgets::ScoreboardRow& row : m_window->parts().scores->model()->rows()) {
        if (row.id.startsWith(u"toy_kv:"_s)) {
            QVERIFY2(row.delta < -0.5, qPrintable(row.id));
            ++rows;
        } else if (knowledgeStays && row.id == u"toy_knowledge"_s) {
            QVERIFY(row.p > 0.05);
            ++rows;
        }
    }
    QVERIFY(rows >= (knowledgeStays ? 2 : 1));
    Q_EMIT m_window->parts().tour->actionRequested(u"on"_s);
    QVERIFY(explorer->ablation(side).isEmpty());
}

void TestWindowTools::welcomeListsModelsSessionsAndTours()
{
    freshWindow();
    auto* page = m_window->parts().welcome;
    QVERIFY(page->isVisible());
    QStringList names;
    for (QListWidget* list : page->findChildren<QListWidget*>())
        for (int i = 0; i < list->count(); ++i)
            names += list->item(i)->text();
    QVERIFY(names.contains(u"tiny-transformer"_s));
    QVERIFY(names.contains(u"org/good"_s));
    QVERIFY(names.contains(u"org/half"_s));
    QVERIFY(names.contains(m_window->guide()->choices().first().name));
    // The model of the cache opens.
    for (QListWidget* list : page->findChildren<QListWidget*>())
        for (int i = 0; i < list->count(); ++i)
            if (list->item(i)->text() == u"org/good"_s)
                QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(i)).center());
    QVERIFY(waitFor([&] { return m_window->explorer()->hasModel(Side::A); }));
    QCOMPARE(m_window->explorer()->model(Side::A)->name, std::string("org/good"));
    QVERIFY(!page->isVisible());
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
          static_cast<QWidget*>(m_window->parts().flips), static_cast<QWidget*>(m_window->parts().profile),
          static_cast<QWidget*>(m_window->parts().chart), static_cast<QWidget*>(m_window->parts().removal)})
        QVERIFY2(!region->whatsThis().isEmpty(), region->metaObject()->className());
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

QTEST_MAIN(TestWindowTools)
#include "tst_windowtools.moc"
