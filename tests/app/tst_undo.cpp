// SPDX-License-Identifier: GPL-3.0-or-later
// Undo in the whole window: prompts, names and runs as well as ablations; and a prompt that is cut to fit.
#include "app/window/benchmarks/benchmarkscontroller.h"
#include "app/window/benchmarks/benchmarksdialog.h"
#include "tests/support/windowfixture.h"
#include "widgets/frame/messagebar.h"
#include "widgets/scores/runsview.h"
#include "widgets/scores/scoreboardview.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestUndo : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void samplesAndTexts();
    void whatIsTypedInOneGoIsOneStep();
    void aLongPromptIsCutToFit();
    void benchmarksAreNoStep();
    void names();
    void runs();
    void theButtonOfASentenceIsOfItsOwnStep();

private:
    [[nodiscard]] const app::Prompt& prompt() const { return m_fixture.explorer().prompt(); }
    [[nodiscard]] QUndoStack& stack() const { return *m_fixture.window().undoStack(); }
    [[nodiscard]] const gui::Parts& parts() const { return m_fixture.window().parts(); }
    [[nodiscard]] bool sampleIs(int index) const
    {
        return QTest::qWaitFor([=, this] { return prompt().sample == index; }, m_fixture.kWait);
    }
    [[nodiscard]] bool idle() const
    {
        return QTest::qWaitFor([this] { return !m_fixture.window().worker()->busy(); }, m_fixture.kWait);
    }
    testing::WindowFixture m_fixture;
};

void TestUndo::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QVERIFY(m_fixture.open(u"tiny-transformer"_s, u"undo.headscope"_s));
    QVERIFY(QTest::qWaitFor([this] { return prompt().samples > 0; }, m_fixture.kWait));
    QVERIFY(idle());
    QVERIFY(!stack().canUndo()); // what the window began with is nothing to take back
}

void TestUndo::samplesAndTexts()
{
    const std::string first = prompt().text;
    m_fixture.explorer().stepSample(1);
    QVERIFY(sampleIs(1));
    QVERIFY(prompt().text != first);
    Q_EMIT parts().prompt->sourceChosen(QString()); // free text
    QVERIFY(prompt().task.empty());
    stack().undo();
    QCOMPARE(prompt().sample, 1);
    QVERIFY(!prompt().task.empty());
    stack().undo();
    QCOMPARE(prompt().text, first);
    QCOMPARE(parts().prompt->prompt().toStdString(), first);
    stack().redo();
    QCOMPARE(prompt().sample, 1);
    stack().undo();
}

void TestUndo::whatIsTypedInOneGoIsOneStep()
{
    const std::string before = prompt().text;
    const int steps = stack().index();
    for (const QString& text : {u"The"_s, u"The key"_s, u"The key is"_s}) {
        parts().prompt->setPrompt(text);
        Q_EMIT parts().prompt->promptEdited(text);
        QVERIFY(QTest::qWaitFor([&] { return prompt().text == text.toStdString(); }, m_fixture.kWait));
    }
    QCOMPARE(stack().index(), steps + 1);
    stack().undo();
    QCOMPARE(prompt().text, before);
}

void TestUndo::aLongPromptIsCutToFit()
{
    const int most = m_fixture.explorer().model(Side::A)->maxPositions;
    QVERIFY(most > 0);
    std::string text;
    for (int i = 0; i < most + 40; ++i)
        text += "the ";
    text += "value of the key is";
    m_fixture.window().state()->changePrompt({.text = text}, u"long"_s);
    const auto offered = [this] { return parts().messages->text().contains(u"at most"_s); };
    QVERIFY(QTest::qWaitFor(offered, m_fixture.kWait));
    QVERIFY(idle());
    QVERIFY2(offered(), qPrintable(parts().messages->text())); // whatever else could not read it
    QVERIFY(!m_fixture.explorer().pattern(Side::A));
    QPushButton* cut = nullptr;
    for (auto* button : parts().messages->findChildren<QPushButton*>())
        if (button->text() == u"Cut to fit"_s && button->isVisible())
            cut = button;
    QVERIFY(cut);
    cut->click();
    QVERIFY(QTest::qWaitFor([this] { return m_fixture.explorer().pattern(Side::A) != nullptr; }, m_fixture.kWait));
    QCOMPARE(static_cast<int>(m_fixture.explorer().pattern(Side::A)->prompt.ids.size()), most);
    QVERIFY(prompt().text.ends_with("value of the key is")); // the end, where the question stands
    stack().undo();
    QCOMPARE(prompt().text, text);
    stack().undo();
    QVERIFY(idle());
}

// Which benchmarks are shown is not what was done to the model: Undo takes back the ablation before it.
void TestUndo::benchmarksAreNoStep()
{
    m_fixture.ablate("L1H3");
    gui::BenchmarksController& controller = *m_fixture.window().benchmarks();
    controller.open();
    Q_EMIT controller.dialog()->applied({u"toy_kv:pairs=12"_s});
    controller.dialog()->hide();
    widgets::ScoreboardModel& board = *parts().scores->model();
    const QModelIndex first = board.index(0, widgets::ScoreboardModel::Benchmark);
    const std::string task = first.data(widgets::ScoreboardModel::IdRole).toString().toStdString();
    QVERIFY(board.setData(first, Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(!m_fixture.explorer().ablation(Side::A).isEmpty());
    stack().undo();
    QVERIFY(m_fixture.explorer().ablation(Side::A).isEmpty());
    QCOMPARE(m_fixture.window().state()->addedBenchmarks(), std::vector<std::string>{"toy_kv:pairs=12"});
    QVERIFY(!m_fixture.window().state()->isFollowed(task));
    QVERIFY(board.setData(board.index(0, widgets::ScoreboardModel::Benchmark), Qt::Checked, Qt::CheckStateRole));
    QVERIFY(m_fixture.window().state()->isFollowed(task));
    Q_EMIT controller.dialog()->applied({});
    QVERIFY(idle());
}

void TestUndo::names()
{
    widgets::HeadMapModel& heads = *parts().mapA->model();
    const QModelIndex cell = heads.index(1, 2);
    const QVariant before = cell.data(widgets::HeadMapModel::NameRole);
    QVERIFY(heads.setData(cell, u"gatherer"_s, Qt::EditRole));
    QCOMPARE(heads.index(1, 2).data(widgets::HeadMapModel::NameRole).toString(), u"gatherer"_s);
    stack().undo();
    QCOMPARE(heads.index(1, 2).data(widgets::HeadMapModel::NameRole), before);
    stack().redo();
    QCOMPARE(heads.index(1, 2).data(widgets::HeadMapModel::NameRole).toString(), u"gatherer"_s);
    stack().undo();
}

void TestUndo::runs()
{
    m_fixture.ablate("L2H5");
    QVERIFY(idle());
    widgets::RunsModel& runs = *parts().runs->model();
    const auto run = [&runs]() -> const widgets::RunRow* {
        for (const widgets::RunRow& row : runs.runs())
            if (row.current)
                return &row;
        return nullptr;
    };
    QVERIFY(QTest::qWaitFor([&] { return run() != nullptr; }, m_fixture.kWait));
    const QString before = run()->name;
    Q_EMIT runs.nameChanged(run()->id, u"without the reader"_s);
    QVERIFY(QTest::qWaitFor([&] { return run() && run()->name == u"without the reader"_s; }, m_fixture.kWait));
    stack().undo();
    QVERIFY(QTest::qWaitFor([&] { return run() && run()->name == before; }, m_fixture.kWait));
    stack().undo(); // the ablation
    QVERIFY(m_fixture.explorer().ablation(Side::A).isEmpty());
    QVERIFY(idle());
}

void TestUndo::theButtonOfASentenceIsOfItsOwnStep()
{
    const auto offered = [this] {
        for (const auto* button : parts().messages->findChildren<QPushButton*>())
            if (button->isVisible() && button->text().startsWith(u"Undo"_s))
                return true;
        return false;
    };
    for (int i = 0; i < gui::WindowState::kMostSteps; ++i) // from now on the oldest step goes with each new one
        m_fixture.explorer().state().change(
            this, u"Nothing"_s, [] {}, [] {});
    m_fixture.ablate("L2H5");
    QVERIFY(QTest::qWaitFor(offered, m_fixture.kWait));
    const QString said = parts().messages->text();
    m_fixture.explorer().stepSample(1);
    QVERIFY(sampleIs(1));
    QCOMPARE(parts().messages->text(), said);
    QVERIFY(!offered()); // it would take back the sample
}

QTEST_MAIN(TestUndo)
#include "tst_undo.moc"
