// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks of one's own in the whole window: a task file and a table, scored beside the others, remembered, and gone
// again.
#include "app/present/scores/scorepresenters.h"
#include "app/window/benchmarks/benchmarkscontroller.h"
#include "app/window/benchmarks/benchmarksdialog.h"
#include "app/window/benchmarks/tabledialog.h"
#include "tests/support/windowfixture.h"
#include "widgets/scores/costview.h"
#include "widgets/scores/scoreboardview.h"

#include <QFile>
#include <QListView>
#include <QSignalSpy>
#include <QStandardPaths>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::BenchmarksController;

class TestWindowBenchmarks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aTaskFileIsScored();
    void aChangedFileIsReadAgain();
    void aTableIsAskedAbout();
    void tablesAreAskedAboutOneAfterTheOther();
    void whatIsNoTaskIsSaidAtOnce();
    void sampleRowsAreCalledSo();
    void onePinnedBenchmarkComesFirst();
    void mergedTokensAreMarkedAndMayBeScoredOtherwise();
    void fewerExamples();
    void whatIsTakenOutIsGone();
    void theyAreThereTheNextDay();
    void aFileThatIsGoneIsASentence();

private:
    [[nodiscard]] BenchmarksController& controller() const { return *m_fixture.window().benchmarks(); }
    [[nodiscard]] const widgets::ScoreboardRow* row(const QString& id) const
    {
        for (const widgets::ScoreboardRow& row : m_fixture.window().parts().scores->model()->rows())
            if (row.id == id)
                return &row;
        return nullptr;
    }
    /// Waits for its number, or for why there is none.
    [[nodiscard]] bool scored(const QString& id) const
    {
        return QTest::qWaitFor(
            [&] { return row(id) && !row(id)->running && (row(id)->done > 0 || !row(id)->unavailable.isEmpty()); },
            m_fixture.kWait);
    }
    [[nodiscard]] QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_fixture.file(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName();
    }
    void openWindow();
    testing::WindowFixture m_fixture;
    QString m_own;
};

namespace {

QByteArray ownTask(int rows)
{
    QByteArray text = R"({"task": "mine", "doc_to_text": "{{q}}", "doc_to_choice": ["A", "B"],
        "doc_to_target": "{{a}}", "metric_list": ["acc"], "rows": [)";
    for (int i = 0; i < rows; ++i)
        text += (i ? "," : "") + QByteArray(R"({"q": "the key is", "a": "1"})");
    return text + "]}";
}

} // namespace

void TestWindowBenchmarks::openWindow()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s));
    QVERIFY(scored(u"toy_mc"_s));
}

void TestWindowBenchmarks::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    openWindow();
}

void TestWindowBenchmarks::aTaskFileIsScored()
{
    m_own = write(u"mine.json"_s, ownTask(3));
    QVERIFY(BenchmarksController::isBenchmark(m_own));
    QVERIFY(!BenchmarksController::isBenchmark(u"notes.headscope"_s));
    QVERIFY(m_fixture.drop({m_own}));
    QVERIFY(scored(m_own));
    QCOMPARE(row(m_own)->name, u"mine"_s);
    QCOMPARE(row(m_own)->total, 3);
    QVERIFY2(row(m_own)->unavailable.isEmpty(), qPrintable(row(m_own)->unavailable));
}

void TestWindowBenchmarks::aChangedFileIsReadAgain()
{
    QTest::qWait(20); // another time of change
    QCOMPARE(write(u"mine.json"_s, ownTask(5)), m_own);
    m_fixture.ablate("L2H5");
    QVERIFY(QTest::qWaitFor([&] { return row(m_own) && row(m_own)->total == 5 && row(m_own)->done == 5; },
                            m_fixture.kWait));
    m_fixture.ablate("");
}

void TestWindowBenchmarks::aTableIsAskedAbout()
{
    controller().addFile(write(u"words.csv"_s, "question,option1,option2,answer\nthe,one,two,2\nthe,one,two,1\n"));
    QVERIFY(QTest::qWaitFor([&] { return controller().tableDialog() != nullptr; }, m_fixture.kWait));
    gui::TableDialog& dialog = *controller().tableDialog();
    const tasks::TableMeaning meaning = dialog.meaning();
    QCOMPARE(meaning.name, std::string("words"));
    QCOMPARE(meaning.answer, std::string("answer"));
    QCOMPARE(meaning.choices, (std::vector<std::string>{"option1", "option2"}));
    QCOMPARE(static_cast<int>(meaning.form), static_cast<int>(tasks::AnswerForm::FromOne));
    QCOMPARE(meaning.prompt, std::string("Question: {{question}}\nAnswer:"));
    QSignalSpy told(m_fixture.window().state(), &gui::WindowState::notified);
    dialog.accept();
    const QString made =
        QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/tasks/words.json");
    QVERIFY(QFile::exists(made));
    QVERIFY(!told.isEmpty());
    QVERIFY(scored(made)); // these words are none of the model's; it is the line that is there, with its sentence
    QCOMPARE(row(made)->name, u"words"_s);
}

void TestWindowBenchmarks::tablesAreAskedAboutOneAfterTheOther()
{
    const QByteArray text = "question,option1,option2,answer\n,,,9\nthe,one,two,2\n";
    QVERIFY(m_fixture.drop({write(u"words.csv"_s, text), write(u"bad.csv"_s, "\xFF"), write(u"more.csv"_s, text)}));
    const auto named = [this](const std::string& name) {
        return QTest::qWaitFor(
            [&] {
                return controller().tableDialog() && controller().tableDialog()->meaning().name == name
                       && controller().tableDialog()->isVisible();
            },
            m_fixture.kWait);
    };
    QVERIFY(named("words"));
    const QString preview = controller().tableDialog()->preview();
    QVERIFY2(preview.startsWith(u"1 of 2 rows can be used. Row 1: "_s), qPrintable(preview));
    QVERIFY2(preview.contains(u"it will be replaced"_s), qPrintable(preview)); // the one from the test before
    QVERIFY2(preview.endsWith(u"○ one\n● two"_s), qPrintable(preview));
    controller().tableDialog()->reject();
    QVERIFY(named("more"));
    QVERIFY(!controller().tableDialog()->preview().contains(u"replaced"_s));
    controller().tableDialog()->reject();
}

void TestWindowBenchmarks::whatIsNoTaskIsSaidAtOnce()
{
    const auto before = m_fixture.window().state()->addedBenchmarks();
    QSignalSpy told(m_fixture.window().state(), &gui::WindowState::notified);
    QVERIFY(m_fixture.drop({write(u"list.json"_s, "[1, 2]")}));
    QVERIFY(told.wait(m_fixture.kWait));
    QCOMPARE(m_fixture.window().state()->addedBenchmarks(), before);
}

void TestWindowBenchmarks::sampleRowsAreCalledSo()
{
    controller().open();
    QStringList chosen = controller().dialog()->chosen();
    QVERIFY(chosen.contains(m_own));
    chosen.append(u"toy_kv:pairs=12"_s);
    controller().dialog()->setChosen(chosen);
    Q_EMIT controller().dialog()->applied(controller().dialog()->chosen());
    controller().dialog()->hide();
    QVERIFY(scored(u"toy_kv:pairs=12"_s));
    QVERIFY(!row(u"toy_kv:pairs=12"_s)->name.contains(u"sample"_s)); // generated, all of it
    const app::BenchmarkScore line{.task = "mmlu", .n = 4, .final = true, .extent = "sample"};
    QCOMPARE(gui::scoreRow(line, true, {}).name, u"MMLU (sample rows)"_s);
}

void TestWindowBenchmarks::onePinnedBenchmarkComesFirst()
{
    widgets::ScoreboardView& board = *m_fixture.window().parts().scores;
    Q_EMIT board.pinRequested(u"toy_mc"_s);
    QVERIFY(row(u"toy_mc"_s)->pinned);
    QVERIFY(!row(m_own)->pinned);
    Q_EMIT board.pinRequested(m_own); // takes its place
    QCOMPARE(board.model()->pinned(), m_own);
    m_fixture.ablate("L0H1");
    QVERIFY(scored(m_own));
    QVERIFY(row(m_own)->pinned);
}

void TestWindowBenchmarks::mergedTokensAreMarkedAndMayBeScoredOtherwise()
{
    // "... of A" + "thens" is the one word "Athens": what is scored are not the tokens of the text.
    const QString cut =
        write(u"cut.json"_s, R"({"task": "cut", "doc_to_text": "{{text}}", "doc_to_choice": "{{choices}}",
        "doc_to_target": "0", "target_delimiter": "", "metric_list": ["acc"], "rows": [
        {"text": "The value of", "choices": [" the key", " Anna is"]},
        {"text": "The value of A", "choices": ["thens is", "nna is"]}]})");
    controller().addFile(cut);
    QVERIFY(scored(cut));
    QCOMPARE(row(cut)->merged, 1);
    QCOMPARE(row(cut)->name, u"cut"_s);
    QVERIFY2(row(cut)->boundary.contains(u"row 1 of cut"_s), qPrintable(row(cut)->boundary));
    QVERIFY2(widgets::costWords(*row(cut)).contains(u"1 merged"_s), qPrintable(widgets::costWords(*row(cut))));
    const widgets::ScoreboardModel& board = *m_fixture.window().parts().scores->model();
    QVERIFY2(board.markdown().contains(u"2 (1 merged)"_s), qPrintable(board.markdown()));
    QCOMPARE(row(m_own)->merged, 0);
    QVERIFY(row(m_own)->boundary.isEmpty());
    // By the other rule it is another series, and called so.
    app::Settings prefix;
    prefix.device = "cpu";
    prefix.boundary = engine::Boundary::CommonPrefix;
    m_fixture.window().worker()->setSettings(prefix);
    m_fixture.explorer().scoreAgain();
    const QString named = u"cut (from the common prefix)"_s;
    QVERIFY(QTest::qWaitFor([&] { return row(cut) && row(cut)->name == named && scored(cut); }, m_fixture.kWait));
    QCOMPARE(row(cut)->merged, 1);
    QVERIFY2(row(cut)->boundary.contains(u"longest common prefix on"_s), qPrintable(row(cut)->boundary));
    prefix.boundary = engine::Boundary::Harness;
    m_fixture.window().worker()->setSettings(prefix);
    m_fixture.explorer().scoreAgain();
    QVERIFY(QTest::qWaitFor([&] { return row(cut) && row(cut)->name == u"cut"_s && scored(cut); }, m_fixture.kWait));
}

void TestWindowBenchmarks::fewerExamples()
{
    app::Settings few;
    few.device = "cpu";
    few.examples = 2;
    m_fixture.window().worker()->setSettings(few);
    m_fixture.explorer().scoreAgain();
    QVERIFY(QTest::qWaitFor([&] { return row(m_own) && row(m_own)->total == 2 && row(m_own)->done == 2; },
                            m_fixture.kWait));
    few.examples = 0;
    m_fixture.window().worker()->setSettings(few);
    m_fixture.explorer().scoreAgain();
    QVERIFY(QTest::qWaitFor([&] { return row(m_own) && row(m_own)->done == 5; }, m_fixture.kWait));
}

void TestWindowBenchmarks::whatIsTakenOutIsGone()
{
    controller().open();
    controller().dialog()->setChosen({m_own});
    Q_EMIT controller().dialog()->applied(controller().dialog()->chosen());
    controller().dialog()->hide();
    QVERIFY(!row(u"toy_kv:pairs=12"_s));
    QVERIFY(row(m_own) && row(u"toy_mc"_s));
}

void TestWindowBenchmarks::theyAreThereTheNextDay()
{
    m_fixture.close();
    openWindow();
    QVERIFY(scored(m_own));
    QCOMPARE(row(m_own)->total, 5);
}

void TestWindowBenchmarks::aFileThatIsGoneIsASentence()
{
    QVERIFY(QFile::remove(m_own));
    m_fixture.explorer().scoreAgain();
    m_fixture.ablate("L1H2");
    QVERIFY(QTest::qWaitFor([&] { return row(m_own) && !row(m_own)->unavailable.isEmpty(); }, m_fixture.kWait));
    QVERIFY(scored(u"toy_mc"_s)); // the others are scored all the same
}

QTEST_MAIN(TestWindowBenchmarks)
#include "tst_windowbenchmarks.moc"
