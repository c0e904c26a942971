// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on a shipped model, driven as a person would: the loop from click to score to undo to restart.
#include "app/window/experiments/experimentspage.h"
#include "app/window/experiments/experimentview.h"
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"

#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using gui::MainWindow;

class TestWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void startsOnTheWelcomePage();
    void opensModelWithPromptAndPattern();
    void theMemoryLineFollowsAtRest();
    void aRankingLeavesTheHeadOfAnOwnText();
    void whatCouldNotBeReadIsForgottenWithIt();
    void clickSwitchesHeadOffAndScoresFollow();
    void undoBringsTheHeadBackFromTheCache();
    void reopeningRestoresThePicture();
    void theTitleNamesSessionAAndB();
    void stopKeepsTheOldNumbers();
    void saysWhatIsWrongWithAPrompt();
    void saysWhatIsWrongWithAModel();
    void asksForATokenizerThatIsMissing();
    void refusesASessionThatIsNone();
    void runsAnExperimentBesideTheWindow();

private:
    [[nodiscard]] gui::WindowOptions options(const QString& session) const;
    [[nodiscard]] static const widgets::ScoreboardRow* row(const MainWindow& window, const char* task);
    QTemporaryDir m_folder;
};

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed

bool ready(MainWindow& window)
{
    return QTest::qWaitFor([&] { return window.explorer()->pattern(Side::A) != nullptr; }, kWait);
}

// Which head retrieval hangs on is found by the program's own ranking; no test names it.
widgets::HeadSpan mostImportant(MainWindow& window)
{
    auto* model = window.parts().mapA->model();
    widgets::HeadSpan best{0, widgets::HeadKind::Attention, 0, 0};
    double most = 0.5;
    for (int r = 0; r < model->rowCount(); ++r)
        for (int c = 0; c < model->columnCount(); ++c) {
            const double value = model->index(r, c).data(widgets::HeadMapModel::ValueRole).toDouble();
            if (value >= most - 0.05) { // the last of several that cost the same
                most = std::max(most, value);
                best = model->spanAt(model->index(r, c));
            }
        }
    return best;
}

} // namespace

gui::WindowOptions TestWindow::options(const QString& session) const
{
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_folder.filePath(session);
    return options;
}

const widgets::ScoreboardRow* TestWindow::row(const MainWindow& window, const char* task)
{
    for (const widgets::ScoreboardRow& row : window.parts().scores->model()->rows())
        if (row.id == QLatin1String(task))
            return &row;
    return nullptr;
}

void TestWindow::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
}

void TestWindow::startsOnTheWelcomePage()
{
    MainWindow window(options(QStringLiteral("welcome.headscope")));
    window.show();
    QVERIFY(window.parts().welcome->isVisibleTo(&window));
    QVERIFY(!window.parts().patternA->isVisible());
}

void TestWindow::opensModelWithPromptAndPattern()
{
    MainWindow window(options(QStringLiteral("open.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QVERIFY(ready(window));
    QVERIFY(window.parts().prompt->prompt().contains(QLatin1String("Memorize the dictionary")));
    const auto pattern = window.explorer()->pattern(Side::A);
    QCOMPARE(pattern->matrix.rows, static_cast<int>(pattern->prompt.ids.size()));
    QVERIFY(analysis::rowsSumToOne(pattern->convention));
    for (int t = 0; t < pattern->matrix.rows; ++t) {
        double sum = 0;
        for (const float value : pattern->matrix.row(t))
            sum += value;
        QVERIFY(std::abs(sum - 1) < 1e-4);
    }
    QCOMPARE(window.parts().mapA->model()->rowCount(), 4);
    QCOMPARE(window.parts().mapA->model()->columnCount(), 8);
    // The next sample replaces the prompt.
    const QString before = window.parts().prompt->prompt();
    window.explorer()->stepSample(1);
    QVERIFY(QTest::qWaitFor([&] { return window.parts().prompt->prompt() != before; }, kWait));
}

// Memory is given up at rest too, so the line does not wait for work to say so.
void TestWindow::theMemoryLineFollowsAtRest()
{
    MainWindow window(options(QStringLiteral("memory.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QVERIFY(ready(window));
    QTRY_VERIFY_WITH_TIMEOUT(!window.worker()->busy(), kWait);
    window.parts().machine->setText(QStringLiteral("old"));
    QTRY_VERIFY_WITH_TIMEOUT(window.parts().machine->text() != QLatin1String("old"), kWait);
}

// A ranking that ends shows the head that costs most, but not to somebody who reads a text of their own.
void TestWindow::aRankingLeavesTheHeadOfAnOwnText()
{
    auto measured = options(QStringLiteral("own.headscope"));
    measured.backend.seed = 7; // other examples than those of the ranking that comes with the program
    MainWindow window(measured);
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QVERIFY(ready(window));
    const auto& side = window.explorer()->state().side(Side::A);
    const auto shown = side.head;
    QVERIFY(!side.effects || side.effects->size() < 32);
    window.state()->changePrompt({.text = "The value of the key is"}, QStringLiteral("own"));
    QVERIFY(
        QTest::qWaitFor([&] { return side.effects && side.effects->size() == 32 && !window.worker()->busy(); }, kWait));
    QCOMPARE(side.head, shown);
}

// Why a prompt cannot be read is said as long as it is there.
void TestWindow::whatCouldNotBeReadIsForgottenWithIt()
{
    MainWindow window(options(QStringLiteral("unread.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QVERIFY(ready(window));
    window.parts().messages->clear();
    window.state()->changePrompt({.text = "The value of the zyzzyva is"}, QStringLiteral("wrong"));
    QVERIFY(QTest::qWaitFor([&] { return !window.explorer()->pattern(Side::A) && !window.worker()->busy(); }, kWait));
    const auto told = [&] { return window.parts().messages->text().contains(QLatin1String("zyzzyva")); };
    QVERIFY(QTest::qWaitFor(told, kWait)); // with models that can read it
    window.state()->changePrompt({.text = "The value of the key is"}, QStringLiteral("right"));
    QVERIFY(ready(window));
    QVERIFY(!told());
}

void TestWindow::clickSwitchesHeadOffAndScoresFollow()
{
    MainWindow window(options(QStringLiteral("click.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QSignalSpy scored(window.explorer(), &gui::Explorer::scoresFinal);
    QVERIFY(scored.wait(kWait));
    QVERIFY(QTest::qWaitFor([&] { return mostImportant(window).count == 1; }, kWait));
    QVERIFY(QTest::qWaitFor([&] { return !window.worker()->busy(); }, kWait));
    const widgets::HeadSpan head = mostImportant(window);
    auto* heads = window.parts().mapA;
    const QModelIndex cell = heads->model()->indexOf(head);
    scored.clear();
    QTest::mouseClick(heads->view()->viewport(), Qt::LeftButton, {}, heads->view()->visualRect(cell).center());
    QCOMPARE(heads->model()->offCount(), 1); // crossed out at once, before any score
    QVERIFY(scored.wait(kWait));
    const widgets::ScoreboardRow* kv = row(window, "toy_kv:pairs=8");
    const widgets::ScoreboardRow* knowledge = row(window, "toy_knowledge");
    QVERIFY(kv && knowledge);
    QVERIFY(kv->baseline > 0.95);
    QVERIFY(kv->now < 0.1);
    QVERIFY(kv->p < 1e-10);
    QVERIFY(kv->high < -0.5);
    QVERIFY(knowledge->now > 0.95);
    QVERIFY(!kv->running && kv->total == 256);
    QVERIFY(window.parts().messages->text().contains(head.text()));
}

void TestWindow::undoBringsTheHeadBackFromTheCache()
{
    MainWindow window(options(QStringLiteral("undo.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QSignalSpy scored(window.explorer(), &gui::Explorer::scoresFinal);
    QVERIFY(scored.wait(kWait));
    const auto set = interventions::InterventionSet::parse("L1H0");
    QVERIFY(set.has_value());
    scored.clear();
    window.explorer()->changeAblation(Side::A, *set, QStringLiteral("L1H0 off"));
    QVERIFY(scored.wait(kWait));
    scored.clear();
    window.undoStack()->undo();
    QCOMPARE(window.parts().mapA->model()->offCount(), 0);
    QVERIFY(scored.wait(kWait));
    const widgets::ScoreboardRow* kv = row(window, "toy_kv:pairs=8");
    QVERIFY(kv && kv->now == kv->baseline);
    window.undoStack()->redo();
    QCOMPARE(window.parts().mapA->model()->offCount(), 1);
}

void TestWindow::reopeningRestoresThePicture()
{
    const auto session = options(QStringLiteral("again.headscope"));
    QString prompt;
    {
        MainWindow window(session);
        window.openModels(QStringLiteral("tiny-transformer"));
        window.show();
        QSignalSpy scored(window.explorer(), &gui::Explorer::scoresFinal);
        QVERIFY(scored.wait(kWait));
        const auto set = interventions::InterventionSet::parse("L1H0 L2H1");
        QVERIFY(set.has_value());
        window.explorer()->changeAblation(Side::A, *set, QStringLiteral("two off"));
        scored.clear();
        QVERIFY(scored.wait(kWait));
        QTest::qWait(400); // the state is written a moment after the last click
        prompt = window.parts().prompt->prompt();
    }
    MainWindow window(session);
    window.show();
    QVERIFY(ready(window));
    QVERIFY(QTest::qWaitFor([&] { return window.parts().mapA->model()->offCount() == 2; }, kWait));
    QVERIFY(QTest::qWaitFor([&] { return window.parts().prompt->prompt() == prompt; }, kWait));
    QVERIFY(QTest::qWaitFor([&] { return window.parts().runs->model()->rowCount() >= 2; }, kWait));
}

void TestWindow::theTitleNamesSessionAAndB()
{
    MainWindow window(options(QStringLiteral("lecture.headscope")));
    QCOMPARE(window.windowTitle(), QStringLiteral("lecture — Headscope"));
    window.openModels(QStringLiteral("tiny-transformer"), QStringLiteral("tiny-ssm"));
    const QString both = QStringLiteral("A tiny-transformer, B tiny-ssm — lecture — Headscope");
    QVERIFY(QTest::qWaitFor([&] { return window.windowTitle() == both; }, kWait));
    window.explorer()->closeB();
    QCOMPARE(window.windowTitle(), QStringLiteral("A tiny-transformer — lecture — Headscope"));
}

void TestWindow::stopKeepsTheOldNumbers()
{
    MainWindow window(options(QStringLiteral("stop.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QSignalSpy scored(window.explorer(), &gui::Explorer::scoresFinal);
    QVERIFY(scored.wait(kWait));
    const auto set = interventions::InterventionSet::parse("L0H0-7");
    QVERIFY(set.has_value());
    window.explorer()->changeAblation(Side::A, *set, QStringLiteral("layer off"));
    window.worker()->stopAll();
    QVERIFY(QTest::qWaitFor([&] { return !window.worker()->busy(); }, kWait));
    const widgets::ScoreboardRow* kv = row(window, "toy_kv:pairs=8");
    QVERIFY(kv && kv->baseline > 0.95); // what was on the screen stays there
    QCOMPARE(window.parts().mapA->model()->offCount(), 8);
}

void TestWindow::saysWhatIsWrongWithAPrompt()
{
    MainWindow window(options(QStringLiteral("prompt.headscope")));
    window.openModels(QStringLiteral("tiny-transformer"));
    window.show();
    QVERIFY(ready(window));
    // The window counts its own prompt's tokens: that question would replace this one.
    QVERIFY(QTest::qWaitFor([&] { return !window.worker()->busy(); }, kWait));
    QSignalSpy failed(window.worker(), &app::Door::failed);
    window.worker()->ask(app::TokensRequest{Side::A, {.text = "<s> antidisestablishmentarianism"}});
    QVERIFY(failed.wait(kWait));
    QVERIFY(failed.first().at(1).toString().contains(QLatin1String("antidisestablishmentarianism")));
    window.worker()->ask(app::TokensRequest{});
    QVERIFY(failed.wait(kWait));
    QVERIFY(failed.last().at(1).toString().contains(QLatin1String("empty")));
}

void TestWindow::saysWhatIsWrongWithAModel()
{
    MainWindow window(options(QStringLiteral("model.headscope")));
    window.show();
    window.openModels(QStringLiteral("/no/such/folder"));
    QSignalSpy failed(window.worker(), &app::Door::failed);
    QVERIFY(failed.wait(kWait));
    QCOMPARE(window.parts().messages->kind(), widgets::MessageBar::Kind::Error);
    QVERIFY(window.parts().messages->text().contains(QLatin1String("/no/such/folder")));
    QVERIFY(window.parts().messages->isVisibleTo(&window));
}

void TestWindow::asksForATokenizerThatIsMissing()
{
    qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8());
    const QString shipped = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer/"),
                  bare = m_folder.filePath(QStringLiteral("bare"));
    QVERIFY(QDir().mkpath(bare));
    for (const char* name : {"config.json", "model.safetensors"})
        QVERIFY(QFile::copy(shipped + QLatin1String(name), bare + u'/' + QLatin1String(name)));
    {
        MainWindow window(options(QStringLiteral("bare.headscope")));
        window.show();
        QSignalSpy failed(window.worker(), &app::Door::failed);
        window.openModels(bare);
        QVERIFY(failed.wait(kWait));
        QVERIFY2(window.parts().messages->text().contains(QLatin1String("has no tokenizer")),
                 qPrintable(window.parts().messages->text()));
        QPushButton* choose = window.parts().messages->findChild<QPushButton*>();
        QVERIFY(choose && choose->isVisible());
        // What is chosen does not open: said, and asked again.
        window.explorer()->openWithTokenizer(Side::A, shipped + QStringLiteral("model.safetensors"));
        QVERIFY(failed.wait(kWait));
        QVERIFY(choose->isVisible());
        window.explorer()->openWithTokenizer(Side::A, shipped + QStringLiteral("tokenizer.json"));
        QVERIFY(ready(window));
    }
    MainWindow window(options(QStringLiteral("again.headscope")));
    window.show();
    window.openModels(bare);
    QVERIFY(ready(window)); // it is remembered
}

void TestWindow::refusesASessionThatIsNone()
{
    QFile file(m_folder.filePath(QStringLiteral("fake.headscope")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is a letter to a friend, not a session\n");
    file.close();
    MainWindow window(options(QStringLiteral("fake.headscope")));
    window.show();
    QVERIFY(
        QTest::qWaitFor([&] { return window.parts().messages->kind() == widgets::MessageBar::Kind::Error; }, kWait));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().startsWith("this is a letter"));
}

void TestWindow::runsAnExperimentBesideTheWindow()
{
    const QString session = m_folder.filePath(QStringLiteral("paper.headscope"));
    app::SessionDoor door;
    door.open(session.toStdString());
    gui::ExperimentsPage page(QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI")), {}, door);
    page.setSurroundings(session, {});
    int cacheMemory = 0;
    while (!gui::ExperimentsPage::title(cacheMemory).startsWith(QStringLiteral("E15")))
        ++cacheMemory;
    page.choose(cacheMemory);
    QSignalSpy finished(&page, &gui::ExperimentsPage::finished);
    page.run();
    QVERIFY(finished.wait(kWait));
    QVERIFY2(finished.front().front().toBool(), qPrintable(page.log()));
    QVERIFY(page.view()->table()->rowCount() >= 9);
    QVERIFY(page.view()->finding().contains(QStringLiteral("Llama-3.2-1B")));
    QVERIFY(page.view()->verdict().contains(QStringLiteral("appears")));
    QCOMPARE(page.view()->pictures().size(), 1);
    // Somebody who opens the session later finds it.
    gui::ExperimentsPage later(QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI")), {}, door);
    later.setSurroundings(session, {});
    later.choose(cacheMemory);
    QVERIFY(QTest::qWaitFor([&] { return later.view()->table()->rowCount() >= 9; }, kWait));
    QCOMPARE(later.view()->verdict(), page.view()->verdict());
    // Another page does not show it, and coming back does.
    page.choose(0);
    QCOMPARE(page.view()->table()->rowCount(), 0);
    page.choose(cacheMemory);
    QVERIFY(page.view()->table()->rowCount() >= 9);
    // Stopping ends the run and keeps the page usable.
    page.choose(0);
    page.run();
    QVERIFY(page.running());
    page.stop();
    QVERIFY(finished.wait(kWait));
    QVERIFY(!finished.back().front().toBool());
    QVERIFY(!page.running());
}

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
