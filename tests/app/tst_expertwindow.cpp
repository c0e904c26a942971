// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts the tokens of a prompt go to, in the whole window, with small models of families with experts: a page
// that is there for them alone, a click that ablates, and what that moves.
#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "app/present/why/expertpresenters.h"
#include "core/io/textfiles/textfile.h"
#include "tests/support/smallcheckpoint.h"
#include "tests/support/windowfixture.h"

#include <QAction>
#include <QHeaderView>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;
using app::Door;
using widgets::ExpertModel;

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
    [[nodiscard]] const ExpertModel& model(Side side = Side::A) const { return *view(side).model(); }
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
        const QHeaderView& header = *view().table()->horizontalHeader();
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
    QCOMPARE(model().rowCount(), 0); // nobody has looked
    m_fixture.window().act(u"experts=1"_s);
    QVERIFY(settled());
    QCOMPARE(why().experts()->layer(), 1);
    QCOMPARE(model().rowCount(), kText.size());
    QCOMPARE(model().columnCount(), 5); // the shared one and four
    QCOMPARE(model().headerData(4, Qt::Vertical, Qt::DisplayRole).toString(), u"4 t"_s);
    for (int row = 0; row < model().rowCount(); ++row) {
        int chosen = 0;
        for (int column = 1; column < 5; ++column)
            chosen += model().index(row, column).data(ExpertModel::WeightRole).isValid();
        QCOMPARE(chosen, 2);
        const double shared = model().index(row, 0).data(ExpertModel::WeightRole).toDouble();
        QVERIFY(shared > 0 && shared < 1); // the sigmoid of its gate
    }
    QVERIFY2(view().sentence().startsWith(u"Each of 30 tokens goes to 2 of 4 experts of layer 1. A shared one"_s),
             qPrintable(view().sentence()));
    QCOMPARE(view().title(), u"A, all heads on"_s);
}

void TestExpertWindow::aClickAblatesAndUndoRestores()
{
    why().experts()->setLayer(0);
    click(3); // behind the shared one: expert 2
    QCOMPARE(ablation(), u"L0X2"_s);
    QCOMPARE(state().undoStack().undoText(), u"Ablate L0X2"_s);
    QVERIFY(settled());
    QVERIFY(model().isOff(2) && !model().isOff(1));
    QCOMPARE(view().title(), u"A with L0X2 ablated"_s);
    QVERIFY(model().index(0, 3).data(Qt::AccessibleTextRole).toString().endsWith(u"is left out"_s));
    // The router of this layer goes on as it did.
    QCOMPARE(model().experts().now.ids, model().experts().before.ids);
    QVERIFY(view().sentence().endsWith(u"moves 0 tokens to other experts."_s));
    state().undoStack().undo();
    QVERIFY(settled());
    QVERIFY(ablation().isEmpty() && !model().isOff(2));
    state().undoStack().redo();
    QVERIFY(settled());
    click(3);
    QCOMPARE(ablation(), QString());
    m_fixture.ablate("keep:L0X1,3"); // in and out of the kept ones
    QVERIFY(settled());
    QVERIFY(model().isOff(0) && !model().isOff(1) && model().isOff(2) && !model().isOff(3));
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
    for (int row = 0; row < model().rowCount(); ++row)
        for (int column = 1; column < 5; ++column) {
            const auto change =
                static_cast<ExpertModel::Change>(model().index(row, column).data(ExpertModel::ChangeRole).toInt());
            came += change == ExpertModel::Change::Came;
            went += change == ExpertModel::Change::Went;
        }
    QVERIFY(came > 0);
    QCOMPARE(came, went);
    QVERIFY(!view().sentence().contains(u"moves 0 tokens"_s));
    m_fixture.ablate("");
    QVERIFY(settled());
    QVERIFY(model().experts().before.ids.empty());
}

// Of "all of a layer" one is taken out again, of heads too.
void TestExpertWindow::oneOfAWholeLayerIsRestored()
{
    why().experts()->setLayer(0);
    m_fixture.ablate("L0X*");
    QVERIFY(settled());
    QVERIFY(model().isOff(0) && model().isOff(3));
    click(1);
    QCOMPARE(ablation(), u"L0X1-3"_s);
    m_fixture.ablate("");
    QVERIFY(settled());
}

void TestExpertWindow::theSkippedLayerSaysSo()
{
    m_fixture.ablate("skip:L0.mlp");
    QVERIFY(settled());
    QCOMPARE(model().rowCount(), 0);
    QVERIFY2(view().sentence().startsWith(u"The experts of layer 0 do not run"_s), qPrintable(view().sentence()));
    m_fixture.ablate("");
    QVERIFY(settled());
    QCOMPARE(model().rowCount(), kText.size());
}

void TestExpertWindow::thePromptIsFollowed()
{
    state().setPrompt({.text = "Gold."});
    QVERIFY(settled());
    QCOMPARE(model().rowCount(), 5);
    m_fixture.ablate("L0H1@9"); // at a token that this prompt does not have
    QVERIFY(settled());
    QCOMPARE(model().rowCount(), 0);
    QVERIFY2(view().sentence().contains(u"names token 9"_s), qPrintable(view().sentence()));
    m_fixture.ablate("");
    state().setPrompt({.text = kText.toStdString()});
    QVERIFY(settled());
    QCOMPARE(model().rowCount(), kText.size());
}

void TestExpertWindow::bothModels()
{
    QVERIFY(!view(Side::B).isVisible());
    QVERIFY(opened(Side::B, m_mixtral));
    QVERIFY(settled(Side::B));
    QVERIFY(view(Side::A).isVisible() && view(Side::B).isVisible());
    QCOMPARE(model(Side::B).columnCount(), 4); // Mixtral has no shared one
    QCOMPARE(model(Side::B).rowCount(), kText.size());
    Q_EMIT view(Side::B).switchRequested(1, true);
    QVERIFY(settled(Side::B));
    QCOMPARE(QString::fromStdString(state().side(Side::B).ablation.canonical()), u"L0X1"_s);
    QVERIFY(model(Side::B).isOff(1) && !model(Side::A).isOff(1) && ablation().isEmpty());
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
    const QVariant weight = model().index(0, model().columnOf(expert)).data(ExpertModel::WeightRole);
    QCOMPARE(weight.toFloat(), first.at(4).toFloat());
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
    QCOMPARE(model().rowCount(), 4096);
    QCOMPARE(refused, QStringList());
    state().setPrompt({.text = text + "b"});
    QVERIFY(settled());
    QCOMPARE(model().rowCount(), 0);
    QVERIFY2(view().sentence().contains(u"4096"_s), qPrintable(view().sentence()));
}

QTEST_MAIN(TestExpertWindow)
#include "tst_expertwindow.moc"
