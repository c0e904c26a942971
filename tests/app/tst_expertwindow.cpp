// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts the tokens of a prompt go to, in the whole window, with small models of families with experts: a page
// that is there for them alone, a click that ablates, and what that moves.
#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "app/present/why/expertpresenters.h"
#include "core/io/textfiles/textfile.h"
#include "tests/support/smallcheckpoint.h"
#include "tests/support/tablecheck.h"
#include "tests/support/windowfixture.h"

#include <QAction>
#include <QHeaderView>
#include <QTabWidget>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using app::Door;
using widgets::GridCell;
using widgets::GridData;

namespace {

const QString kText = u"All that glitters is not gold."_s; // a byte is a token

} // namespace

class TestExpertWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void modelsWithoutExpertsHaveNoPage();
    void tokensGoToExperts();
    void aClickAblatesAndUndoRestores();
    void anAblationMovesTokens();
    void oneOfAWholeLayerIsRestored();
    void theSkippedLayerSaysSo();
    void thePromptIsFollowed();
    void bothModels();
    void savesWhatTheCommandLineWrites();
    void wordsCountExperts();
    void longPrompts();

private:
    [[nodiscard]] gui::WindowState& state() const { return *m_fixture.window().state(); }
    [[nodiscard]] widgets::WhyPage& why() const { return *m_fixture.window().parts().why; }
    [[nodiscard]] widgets::ExpertView& view(Side side = Side::A) const { return *why().experts()->view(side); }
    [[nodiscard]] const GridData& grid(Side side = Side::A) const { return view(side).grid()->grid(); }
    [[nodiscard]] static int rows(const GridData& grid) { return static_cast<int>(grid.rows.size()); }
    [[nodiscard]] static int columns(const GridData& grid) { return static_cast<int>(grid.columns.size()); }
    [[nodiscard]] bool isOff(int expert, Side side = Side::A) const
    {
        return std::ranges::find(grid(side).columns, expert, &widgets::GridLine::id)->off;
    }
    /// What the worker said.
    [[nodiscard]] const app::ExpertsReply& reply() const
    {
        return *m_fixture.explorer().controllers().experts.shown(Side::A);
    }
    [[nodiscard]] QString ablation() const
    {
        return QString::fromStdString(state().side(Side::A).ablation.canonical());
    }
    [[nodiscard]] bool isOffered() const
    {
        const int tab = why().tabs()->indexOf(why().experts());
        const auto actions = m_fixture.window().findChildren<QAction*>();
        const bool inMenu = std::ranges::any_of(actions, [](const QAction* action) {
            return action->isVisible() && action->text().contains(u"xperts of each"_s);
        });
        return why().tabs()->isTabVisible(tab) && inMenu;
    }
    [[nodiscard]] bool opened(Side side, const QString& name) const
    {
        m_fixture.explorer().openModel(side, name);
        return QTest::qWaitFor(
            [&] {
                const auto now = m_fixture.explorer().model(side);
                return now && QString::fromStdString(now->path) == name;
            },
            testing::WindowFixture::kWait);
    }
    [[nodiscard]] bool settled(Side side = Side::A) const
    {
        return QTest::qWaitFor([&] { return !m_fixture.window().worker()->isRunning<app::ExpertsRequest>(side); },
                               testing::WindowFixture::kWait);
    }
    void click(int column) const
    {
        const QHeaderView& header = *view().grid()->horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                          {header.sectionViewportPosition(column) + header.sectionSize(column) / 2, 10});
    }

    testing::WindowFixture m_fixture;
    QTemporaryDir m_models;
    QString m_qwen, m_mixtral;
};

void TestExpertWindow::initTestCase()
{
    m_qwen = QString::fromStdString(smallcheckpoint::make(m_models.path().toStdString(), "hub/qwen2_moe"));
    m_mixtral = QString::fromStdString(smallcheckpoint::make(m_models.path().toStdString(), "hub/mixtral"));
    QVERIFY(!m_qwen.isEmpty() && !m_mixtral.isEmpty());
    QVERIFY(m_fixture.open(u"tiny-transformer"_s));
}

void TestExpertWindow::modelsWithoutExpertsHaveNoPage()
{
    QVERIFY(!isOffered());
    QVERIFY(gui::expertLayers(*m_fixture.explorer().model(Side::A)).isEmpty());
}

void TestExpertWindow::tokensGoToExperts()
{
    QVERIFY(opened(Side::A, m_qwen));
    QVERIFY(isOffered());
    state().setPrompt({.text = kText.toStdString()});
    QCOMPARE(rows(grid()), 0); // nobody has looked
    m_fixture.window().act(u"experts=1"_s);
    QVERIFY(settled());
    QCOMPARE(why().experts()->layer(), 1);
    QCOMPARE(rows(grid()), kText.size());
    QCOMPARE(columns(grid()), 5); // the shared one and four
    QCOMPARE(grid().rows[4].name, u"4 t"_s);
    for (int row = 0; row < rows(grid()); ++row) {
        int chosen = 0;
        for (int column = 1; column < 5; ++column)
            chosen += !std::isnan(grid().cell(row, column).value);
        QCOMPARE(chosen, 2);
        const double shared = grid().cell(row, 0).value;
        QVERIFY(shared > 0 && shared < 1); // the sigmoid of its gate
    }
    QVERIFY2(view().sentence().startsWith(u"Each of 30 tokens goes to 2 of 4 experts of layer 1. A shared one"_s),
             qPrintable(view().sentence()));
    QCOMPARE(view().title(), u"A, all heads on"_s);
    // T shows the same as a table.
    auto* tabled = view().findChild<widgets::TabledView*>();
    why().toggleTables();
    const QString problem = testing::tableProblem(*tabled);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    why().toggleTables();
    QVERIFY(view().grid()->isVisible() && !tabled->table()->isVisible());
}

void TestExpertWindow::aClickAblatesAndUndoRestores()
{
    why().experts()->setLayer(0);
    click(3); // behind the shared one: expert 2
    QCOMPARE(ablation(), u"L0X2"_s);
    QCOMPARE(state().undoStack().undoText(), u"Ablate L0X2"_s);
    QVERIFY(settled());
    QVERIFY(isOff(2) && !isOff(1));
    QCOMPARE(view().title(), u"A with L0X2 ablated"_s);
    QVERIFY(grid().words(0, 3).endsWith(u"is left out"_s));
    // The router of this layer goes on as it did.
    QCOMPARE(reply().layers[0].ids, reply().before[0].ids);
    QVERIFY(view().sentence().endsWith(u"moves 0 tokens to other experts."_s));
    state().undoStack().undo();
    QVERIFY(settled());
    QVERIFY(ablation().isEmpty() && !isOff(2));
    state().undoStack().redo();
    QVERIFY(settled());
    click(3);
    QCOMPARE(ablation(), QString());
    m_fixture.ablate("keep:L0X1,3"); // in and out of the kept ones
    QVERIFY(settled());
    QVERIFY(isOff(0) && !isOff(1) && isOff(2) && !isOff(3));
    click(3);
    QCOMPARE(ablation(), u"keep:L0X1-3"_s);
    m_fixture.ablate("");
    QVERIFY(settled());
}

// Of the layer below everything is taken out: some token of the layer above goes elsewhere, and both are marked.
void TestExpertWindow::anAblationMovesTokens()
{
    m_fixture.ablate("skip:L0");
    why().experts()->setLayer(1);
    QVERIFY(settled());
    int came = 0, went = 0;
    for (const GridCell& cell : grid().cells) {
        came += (cell.marks & GridCell::Framed) != 0;
        went += (cell.marks & GridCell::Dashed) != 0;
    }
    QVERIFY(came > 0);
    QCOMPARE(came, went);
    QVERIFY(!view().sentence().contains(u"moves 0 tokens"_s));
    m_fixture.ablate("");
    QVERIFY(settled());
    QVERIFY(reply().before.empty());
}

// Of "all of a layer" one is taken out again, of heads too.
void TestExpertWindow::oneOfAWholeLayerIsRestored()
{
    why().experts()->setLayer(0);
    m_fixture.ablate("L0X*");
    QVERIFY(settled());
    QVERIFY(isOff(0) && isOff(3));
    click(1);
    QCOMPARE(ablation(), u"L0X1-3"_s);
    m_fixture.ablate("");
    QVERIFY(settled());
}

void TestExpertWindow::theSkippedLayerSaysSo()
{
    m_fixture.ablate("skip:L0.mlp");
    QVERIFY(settled());
    QCOMPARE(rows(grid()), 0);
    QVERIFY2(view().sentence().startsWith(u"The experts of layer 0 do not run"_s), qPrintable(view().sentence()));
    m_fixture.ablate("");
    QVERIFY(settled());
    QCOMPARE(rows(grid()), kText.size());
}

void TestExpertWindow::thePromptIsFollowed()
{
    state().setPrompt({.text = "Gold."});
    QVERIFY(settled());
    QCOMPARE(rows(grid()), 5);
    m_fixture.ablate("L0H1@9"); // at a token that this prompt does not have
    QVERIFY(settled());
    QCOMPARE(rows(grid()), 0);
    QVERIFY2(view().sentence().contains(u"names token 9"_s), qPrintable(view().sentence()));
    m_fixture.ablate("");
    state().setPrompt({.text = kText.toStdString()});
    QVERIFY(settled());
    QCOMPARE(rows(grid()), kText.size());
}

void TestExpertWindow::bothModels()
{
    QVERIFY(!view(Side::B).isVisible());
    QVERIFY(opened(Side::B, m_mixtral));
    QVERIFY(settled(Side::B));
    QVERIFY(view(Side::A).isVisible() && view(Side::B).isVisible());
    QCOMPARE(columns(grid(Side::B)), 4); // Mixtral has no shared one
    QCOMPARE(rows(grid(Side::B)), kText.size());
    Q_EMIT view(Side::B).switchRequested(1, true);
    QVERIFY(settled(Side::B));
    QCOMPARE(QString::fromStdString(state().side(Side::B).ablation.canonical()), u"L0X1"_s);
    QVERIFY(isOff(1, Side::B) && !isOff(1) && ablation().isEmpty());
    QCOMPARE(state().activeSide(), Side::B);
    // A model without experts beside one that has some is not in the way.
    QVERIFY(opened(Side::A, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm")));
    QVERIFY(isOffered() && !view(Side::A).isVisible() && view(Side::B).isVisible());
    m_fixture.explorer().closeB();
    QVERIFY(!isOffered());
    QVERIFY(opened(Side::A, m_qwen));
    QVERIFY(isOffered());
    m_fixture.window().act(u"experts=0"_s);
    state().setPrompt({.text = kText.toStdString()});
    QVERIFY(settled());
}

void TestExpertWindow::savesWhatTheCommandLineWrites()
{
    const QString path = m_models.filePath(u"experts.csv"_s);
    const auto written = m_fixture.explorer().controllers().experts.write(Side::A, path);
    QVERIFY(written.has_value());
    const QStringList lines = QString::fromStdString(*io::readTextFile(path.toStdString(), 1 << 20)).split(u'\n');
    QCOMPARE(lines.first(), u"layer,position,token,expert,weight"_s);
    QCOMPARE(lines.size(), 2 + 2 * 3 * kText.size()); // two layers, two chosen and a shared one each; a last line's end
    QVERIFY2(lines.at(1).startsWith(u"0,0,A,L0X"_s), qPrintable(lines.at(1)));
    QVERIFY2(lines.at(3).startsWith(u"0,0,A,L0.shared,0."_s), qPrintable(lines.at(3)));
    const QStringList first = lines.at(1).split(u',');
    const int expert = first.at(3).section(u'X', 1).toInt();
    why().experts()->setLayer(0);
    const auto column = std::ranges::find(grid().columns, expert, &widgets::GridLine::id) - grid().columns.begin();
    QCOMPARE(static_cast<float>(grid().cell(0, static_cast<int>(column)).value), first.at(4).toFloat());
    QVERIFY(!m_fixture.explorer().controllers().experts.write(Side::B, path).has_value());
}

void TestExpertWindow::wordsCountExperts()
{
    const auto words = [this](const char* set) {
        return gui::ablationWords(interventions::InterventionSet::parse(set).value(),
                                  m_fixture.explorer().model(Side::A).get());
    };
    QCOMPARE(words("L0X1"), u"L0X1 ablated"_s);
    QCOMPARE(words("L0X0,1,2 L1X0,3"), u"5 experts ablated"_s);
    QCOMPARE(words("L0X0,1,2,3 L1H0"), u"1 head and 4 experts ablated"_s);
    QCOMPARE(words("keep:L0X1"), u"all of layer 0 ablated except L0X1"_s);
    m_fixture.ablate("L0X1 L1H0"); // the heading counts what the map of heads does not
    QCOMPARE(gui::stateHeading(state(), Side::A), u"A · L0X1, L1H0 ablated"_s);
    m_fixture.ablate("");
}

// As many rows as tokens; more are refused with a sentence.
void TestExpertWindow::longPrompts()
{
    std::string text;
    for (int i = 0; i < 4096; ++i)
        text += static_cast<char>('a' + i * i % 23);
    QStringList refused; // what other tabs would ask for has a lower limit
    connect(m_fixture.window().worker(), &app::Door::failed, this,
            [&](const app::Lane&, const QString& sentence) { refused += sentence; });
    state().setPrompt({.text = text});
    QVERIFY(settled());
    QCOMPARE(rows(grid()), 4096);
    QCOMPARE(refused, QStringList());
    state().setPrompt({.text = text + "b"});
    QVERIFY(settled());
    QCOMPARE(rows(grid()), 0);
    QVERIFY2(view().sentence().contains(u"4096"_s), qPrintable(view().sentence()));
}

QTEST_MAIN(TestExpertWindow)
#include "tst_expertwindow.moc"
