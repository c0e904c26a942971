// SPDX-License-Identifier: GPL-3.0-or-later
// Two models side by side in the whole window: maps of their own, linked by text, against each other and against
// before.
#include "app/present/prompt/mapfiles.h"
#include "app/present/scores/recordpresenters.h"
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "core/base/samplesource.h"

#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <utility>

using namespace headscope;
using gui::MainWindow;
using widgets::HeadKind;
using widgets::PatternShown;

class TestComparison : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void eachModelHasASetOfItsOwn();
    void crosshairAndRowFollowTheText();
    void aMinusBIsTheDifference();
    void nowMinusBaselineIsNothingUntilSomethingIsOff();
    void weightedIsThePatternTimesNorms();
    void oneRowOfAllHeads();
    void stripShowsTheLayerAndTheColumn();
    void everyHeadTakesThePlaceOfTheMaps();
    void aHoveredHeadIsOfTheShownPrompt();
    void scoresColourTheHeads();
    void ownColumnColoursTheHeads();
    void keptPromptStays();
    void flipsFollowTheActiveSide();
    void twinIsBeforeAndAfter();
    void hybridShowsBothKinds();
    void scoresOfTheFormerModelAreNotShown();
    void aDifferenceNeedsBothModels();
    void aClosedSideHasNoHeadsToActOn();

private:
    [[nodiscard]] static bool until(const std::function<bool()>& done) { return QTest::qWaitFor(done, 120000); }
    /// Curves are not what is looked at here, rankings only once.
    [[nodiscard]] bool idle() const
    {
        return until([this] {
            for (const Side side : kSides) {
                m_window->worker()->stop<app::CurveRequest>(side);
                if (!m_ranking)
                    m_window->worker()->stop<app::RankRequest>(side);
            }
            return !m_window->worker()->busy();
        });
    }
    [[nodiscard]] gui::Explorer& explorer() const { return *m_window->explorer(); }
    [[nodiscard]] widgets::PatternView* view(Side side) const
    {
        return side == Side::A ? m_window->parts().patternA : m_window->parts().patternB;
    }
    void ablate(Side side, const char* text) const
    {
        const auto set = interventions::InterventionSet::parse(text);
        QVERIFY(set.has_value());
        explorer().changeAblation(side, *set, QStringLiteral("test"));
        QVERIFY(idle());
    }
    void show(PatternShown shown) const
    {
        m_window->parts().patterns->setShown(shown);
        QVERIFY(idle());
    }
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    bool m_ranking = false;
};

void TestComparison::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_folder.filePath(QStringLiteral("compare.headscope"));
    m_window = std::make_unique<MainWindow>(options);
    for (const char* benchmark : {"toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16", "toy_mc", "toy_knowledge"})
        Q_EMIT m_window->parts().scores->model()->followChanged(QLatin1String(benchmark), false);
    m_window->openModels(QStringLiteral("tiny-transformer"), QStringLiteral("tiny-hybrid"));
    m_window->show();
    QVERIFY(until([this] { return explorer().pattern(Side::A) && explorer().pattern(Side::B); }));
    QVERIFY(idle());
    explorer().showHead(Side::A, {2, HeadKind::Attention, 5, 1});
    explorer().showHead(Side::B, {3, HeadKind::Attention, 6, 1});
    QVERIFY(idle());
}

void TestComparison::eachModelHasASetOfItsOwn()
{
    ablate(Side::B, "L0H2");
    QCOMPARE(m_window->parts().mapB->model()->offCount(), 1);
    QCOMPARE(m_window->parts().mapA->model()->offCount(), 0);
    QCOMPARE(explorer().pattern(Side::B)->request.ablation.canonical(), std::string("L0H2"));
    QVERIFY(explorer().pattern(Side::A)->request.ablation.empty());
    m_window->undoStack()->undo();
    QVERIFY(idle());
    QCOMPARE(m_window->parts().mapB->model()->offCount(), 0);
}

void TestComparison::crosshairAndRowFollowTheText()
{
    const QPoint cell = view(Side::A)->mapGeometry().cellRect(20, 7).center().toPoint();
    QTest::mouseMove(view(Side::A), cell);
    QCOMPARE(view(Side::B)->crosshairRow(), 20);
    QCOMPARE(view(Side::B)->crosshairCol(), 7);
    QTest::mouseClick(view(Side::A), Qt::LeftButton, Qt::NoModifier, cell);
    QCOMPARE(view(Side::B)->profileRow(), 20);
    // Alone: the other side stays where it is.
    m_window->parts().patterns->viewActions().front()->setChecked(false);
    QTest::mouseMove(view(Side::A), view(Side::A)->mapGeometry().cellRect(30, 3).center().toPoint());
    QCOMPARE(view(Side::B)->crosshairRow(), 20);
    QTest::mouseClick(view(Side::A), Qt::LeftButton, Qt::NoModifier,
                      view(Side::A)->mapGeometry().cellRect(30, 3).center().toPoint());
    QCOMPARE(view(Side::A)->profileRow(), 30);
    QCOMPARE(view(Side::B)->profileRow(), 20);
    m_window->parts().patterns->viewActions().front()->setChecked(true);
    QCOMPARE(view(Side::B)->profileRow(), 30);
    Q_EMIT view(Side::A)->rowLocked(-1);
    QCOMPARE(explorer().state().side(Side::B).lockedRow, -1);
}

void TestComparison::aMinusBIsTheDifference()
{
    const Matrix a = explorer().pattern(Side::A)->matrix, b = explorer().pattern(Side::B)->matrix;
    show(PatternShown::AMinusB);
    QVERIFY(!view(Side::B)->isVisible());
    const widgets::PatternData& shown = view(Side::A)->pattern();
    QVERIFY(shown.isSigned);
    QCOMPARE(shown.head, QStringLiteral("A L2H5 − B L3H6"));
    for (int row = 0; row < a.rows; ++row)
        for (int col = 0; col <= row; ++col)
            QCOMPARE(shown.values->at(row, col), a.at(row, col) - b.at(row, col));
    show(PatternShown::Pattern);
    QVERIFY(view(Side::B)->isVisible());
    QCOMPARE(view(Side::A)->pattern().values->values, a.values);
}

void TestComparison::nowMinusBaselineIsNothingUntilSomethingIsOff()
{
    show(PatternShown::MinusBaseline);
    const auto largest = [this] {
        float most = 0;
        for (const float value : view(Side::A)->pattern().values->values)
            most = std::max(most, std::abs(value));
        return most;
    };
    QCOMPARE(largest(), 0.0F);
    ablate(Side::A, "L0H0 L1H2");
    QVERIFY(largest() > 0.1F);
    m_window->undoStack()->undo();
    show(PatternShown::Pattern);
}

void TestComparison::weightedIsThePatternTimesNorms()
{
    const Matrix plain = explorer().pattern(Side::A)->matrix;
    show(PatternShown::Weighted);
    const Matrix weighted = explorer().pattern(Side::A)->matrix;
    const int last = plain.rows - 1;
    for (int col = 0; col <= last; ++col) {
        const double factor = static_cast<double>(weighted.at(last, col)) / static_cast<double>(plain.at(last, col));
        QVERIFY(factor > 0);
        if (plain.at(last - 1, col) > 1e-6F && plain.at(last, col) > 1e-6F && col < last)
            QVERIFY(std::abs(static_cast<double>(weighted.at(last - 1, col))
                                 / static_cast<double>(plain.at(last - 1, col)) / factor
                             - 1)
                    < 1e-3);
    }
    show(PatternShown::Pattern);
}

void TestComparison::oneRowOfAllHeads()
{
    const auto plain = explorer().pattern(Side::A);
    show(PatternShown::RowOfHeads);
    const widgets::PatternData& shown = view(Side::A)->pattern();
    QCOMPARE(shown.rows(), 32);
    QCOMPARE(shown.rowLabels.at(21), QStringLiteral("L2H5"));
    const int last = plain->matrix.rows - 1;
    for (int col = 0; col <= last; ++col)
        QVERIFY(std::abs(shown.values->at(21, col) - plain->matrix.at(last, col)) < 1e-5F);
    // A click on a line is a look at its head.
    QTest::mouseClick(view(Side::A), Qt::LeftButton, Qt::NoModifier,
                      view(Side::A)->mapGeometry().cellRect(9, 4).center().toPoint());
    QVERIFY(idle());
    QCOMPARE(m_window->parts().mapA->view()->currentHead(), (widgets::HeadSpan{1, HeadKind::Attention, 1, 1}));
    explorer().showHead(Side::A, {2, HeadKind::Attention, 5, 1});
    show(PatternShown::Pattern);
}

void TestComparison::stripShowsTheLayerAndTheColumn()
{
    auto* page = m_window->parts().patterns;
    page->setStripShown(widgets::StripShown::Layer);
    QVERIFY(idle());
    QCOMPARE(page->strip()->headCount(), 8);
    for (int head = 0; head < 8; ++head)
        QVERIFY(page->strip()->hasPicture(head));
    page->setStripShown(widgets::StripShown::Column);
    QVERIFY(idle());
    QCOMPARE(page->strip()->headCount(), 4);
    QVERIFY(page->strip()->hasPicture(3));
    explorer().state().setActiveSide(Side::A);
    explorer().state().setMetric(Side::A, "aggregate");
    page->setStripShown(widgets::StripShown::Top);
    QVERIFY(until([&] { return page->strip()->headCount() == 16; })); // of four layers
    QVERIFY(idle());
    QVERIFY(page->strip()->hasPicture(0) && page->strip()->hasPicture(15));
    page->setStripShown(widgets::StripShown::None);
    QVERIFY(!page->strip()->isVisible());
}

// G shows them and leaves them; a click on one shows its map.
void TestComparison::everyHeadTakesThePlaceOfTheMaps()
{
    auto* page = m_window->parts().patterns;
    page->setStripShown(widgets::StripShown::Layer);
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    view(Side::A)->setFocus();
    QTest::keyClick(view(Side::A), Qt::Key_G);
    QVERIFY(page->showsEveryHead());
    QVERIFY(idle());
    for (const Side side : kSides) {
        const widgets::HeadStrip& every = *page->everyHead(side);
        QVERIFY(every.isVisible() && !view(side)->isVisible());
        QCOMPARE(every.headCount(), 32);
        QVERIFY(every.hasAllPictures());
    }
    QVERIFY(!page->strip()->isVisible());
    // Ablated in A: its maps are read anew, and crossed out there.
    ablate(Side::A, "L1H2");
    QVERIFY(idle());
    QVERIFY(page->everyHead(Side::A)->hasAllPictures());
    QVERIFY(page->everyHead(Side::A)
                ->model()
                ->index(10, 0)
                .data(Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("off")));
    ablate(Side::A, "");
    // By the metric of the map: its strongest head first.
    explorer().state().setMetric(Side::A, "aggregate");
    QVERIFY(idle());
    page->setStripShown(widgets::StripShown::AllByMetric);
    QVERIFY(until([&] {
        const auto strongest = m_window->parts().mapA->model()->strongest(1);
        return !strongest.isEmpty()
               && page->everyHead(Side::A)->model()->index(0, 0).data().toString() == strongest.front().text();
    }));
    QVERIFY(idle());
    QCOMPARE(page->everyHead(Side::A)->headCount(), 32);
    page->setStripShown(widgets::StripShown::All);
    QVERIFY(idle());
    auto* every = page->everyHead(Side::B);
    const QModelIndex cell = every->model()->index(17, 0);
    every->scrollTo(cell);
    QTest::mouseClick(every->viewport(), Qt::LeftButton, {}, every->visualRect(cell).center());
    QCOMPARE(m_window->state()->side(Side::B).head.layer, 2);
    QCOMPARE(m_window->state()->side(Side::B).head.head, 1);
    QVERIFY(!page->showsEveryHead() && view(Side::B)->isVisible());
    QCOMPARE(page->stripShown(), widgets::StripShown::Layer);
    QVERIFY(idle());
}

// The prompt changes while the picture of a hovered head is made: it is of the old one.
void TestComparison::aHoveredHeadIsOfTheShownPrompt()
{
    m_window->parts().patterns->setStripShown(widgets::StripShown::None); // whose pictures are those of the map too
    QVERIFY(idle());
    widgets::HeadMapPanel* map = m_window->parts().mapA;
    map->model()->clearThumbnails();
    const app::Prompt before = explorer().state().prompt();
    app::Prompt other = before;
    other.text += " Ada";
    bool changed = false;
    const auto watch = connect(m_window->worker(), &app::Door::runningChanged, this, [&](const app::Lane& lane) {
        if (lane.is<app::HoverRequest>() && !std::exchange(changed, true))
            explorer().state().setPrompt(other);
    });
    const widgets::HeadSpan head{1, HeadKind::Attention, 3, 1};
    Q_EMIT map->view()->headHovered(head);
    QVERIFY(until([&] { return changed; }));
    disconnect(watch);
    QVERIFY(idle());
    QVERIFY(!map->model()->hasThumbnail(head));
    explorer().state().setPrompt(before);
    QVERIFY(idle());
}

void TestComparison::scoresColourTheHeads()
{
    auto* map = m_window->parts().mapA;
    for (const char* metric : {"gather", "aggregate", "target", "retrieval", "induction", "previous", "diagonal",
                               "entropy", "effective", "sink", "norm"}) {
        Q_EMIT map->metricChosen(QLatin1String(metric));
        QVERIFY(idle());
        int measured = 0;
        for (const auto& row : map->model()->metric().values)
            for (const float value : row)
                measured += std::isfinite(value);
        QVERIFY2(measured == 32, metric);
    }
    Q_EMIT map->metricChosen(QStringLiteral("distance"));
    ablate(Side::A, "L1H2");
    const auto& values = map->model()->metric().values;
    QCOMPARE(values[0][0], 0.0F); // below the cut nothing moves
    QVERIFY(*std::max_element(values[2].begin(), values[2].end()) > 0.05F);
    m_window->undoStack()->undo();
    Q_EMIT map->metricChosen(QStringLiteral("effect"));
    QVERIFY(idle());
}

void TestComparison::ownColumnColoursTheHeads()
{
    QFile table(m_folder.filePath(QStringLiteral("mine.csv")));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("head,luck\nL2H5,0.5\nL0H0,-1\n");
    table.close();
    explorer().addMetricFile(Side::A, table.fileName());
    auto* model = m_window->parts().mapA->model();
    QCOMPARE(model->metric().name, QStringLiteral("luck"));
    QVERIFY(model->metric().isSigned);
    QCOMPARE(model->metric().values[2][5], 0.5F);
    explorer().addMetricFile(Side::A, QStringLiteral("/no/such.csv"));
    QCOMPARE(m_window->parts().messages->kind(), widgets::MessageBar::Kind::Error);
    Q_EMIT m_window->parts().mapA->metricChosen(QStringLiteral("effect"));
}

void TestComparison::keptPromptStays()
{
    const std::string before = explorer().pattern(Side::B)->text;
    explorer().keepPrompt(Side::B, true);
    explorer().stepSample(1);
    QVERIFY(until([&] { return explorer().pattern(Side::A)->text != before; }));
    QVERIFY(idle());
    QCOMPARE(explorer().pattern(Side::B)->text, before);
    // What is stored of it names the sample that it keeps.
    const gui::WindowState& state = explorer().state();
    const int sample = state.promptOf(Side::B).sample;
    QVERIFY(sample != state.promptOf(Side::A).sample);
    QCOMPARE(gui::patternRecord(state, Side::B).source, sampleSource(state.promptOf(Side::B).task, sample));
    explorer().keepPrompt(Side::B, false);
    QVERIFY(until([&] { return explorer().pattern(Side::B)->text == explorer().pattern(Side::A)->text; }));
}

// The pane still showed A's examples after a switch to B, where nothing is off.
void TestComparison::flipsFollowTheActiveSide()
{
    const QString task = QStringLiteral("toy_kv:pairs=4");
    Q_EMIT m_window->parts().scores->model()->followChanged(task, true);
    Q_EMIT m_window->parts().scores->benchmarkChosen(task);
    ablate(Side::A, "L0H0-7 L1H0-7");
    const widgets::FlipsModel* flips = m_window->parts().flips->model();
    QVERIFY(until([&] { return flips->rowCount() > 0; }));
    const int ofA = flips->rowCount();
    explorer().state().setActiveSide(Side::B);
    QVERIFY(idle());
    QCOMPARE(flips->rowCount(), 0);
    explorer().state().setActiveSide(Side::A);
    QVERIFY(until([&] { return flips->rowCount() == ofA; }));
    m_window->undoStack()->undo();
    Q_EMIT m_window->parts().scores->model()->followChanged(task, false);
    QVERIFY(idle());
}

void TestComparison::twinIsBeforeAndAfter()
{
    ablate(Side::A, "L1H2");
    explorer().openTwin();
    QVERIFY(until([&] {
        return m_window->parts().mapB->model()->rowCount() == 4 && !m_window->parts().mapB->model()->hasTwoKinds();
    }));
    QVERIFY(idle());
    QCOMPARE(m_window->parts().mapA->model()->offCount(), 1);
    QCOMPARE(m_window->parts().mapB->model()->offCount(), 0);
    QVERIFY(explorer().pattern(Side::B)->request.head == explorer().pattern(Side::A)->request.head);
    QVERIFY(explorer().pattern(Side::B)->matrix.values != explorer().pattern(Side::A)->matrix.values);
    explorer().restoreAll(Side::A);
    QVERIFY(idle());
}

void TestComparison::hybridShowsBothKinds()
{
    QVERIFY(!explorer().isHybrid(Side::A));
    m_ranking = true;
    explorer().openModel(Side::A, QStringLiteral("tiny-hybrid"));
    QVERIFY(until([&] { return explorer().isHybrid(Side::A); }));
    QVERIFY(idle());
    explorer().compareKinds();
    QVERIFY(until([&] { return explorer().isHybrid(Side::B); }));
    QVERIFY(idle());
    QCOMPARE(m_window->parts().mapA->view()->currentHead().kind, HeadKind::Attention);
    QCOMPARE(m_window->parts().mapB->view()->currentHead().kind, HeadKind::Ssm);
    QVERIFY(analysis::rowsSumToOne(explorer().pattern(Side::A)->convention));
    QVERIFY(!analysis::rowsSumToOne(explorer().pattern(Side::B)->convention));
    // Unlike maps are compared by shares, and the title says so.
    show(PatternShown::AMinusB);
    QVERIFY(view(Side::A)->pattern().meaning.contains(QStringLiteral("shares")));
    // A name for two heads is no name of one of them; values of an SSM are said to be what they are.
    const widgets::PatternData difference = view(Side::A)->pattern();
    QVERIFY2(gui::mapName(difference).contains(QStringLiteral("_minus_B_L")), qPrintable(gui::mapName(difference)));
    show(PatternShown::Pattern);
    const widgets::PatternData& scan = view(Side::B)->pattern();
    QVERIFY(scan.raw && scan.rawMeaning != scan.meaning);
    QVERIFY(gui::valuesText(scan)->contains(u'\t' + scan.rawMeaning + u'\t'));
    QVERIFY(!gui::valuesText(scan)->contains(scan.meaning));
}

// A prompt that B cannot read leaves no difference of the one before, whichever of the two answers first.
void TestComparison::aDifferenceNeedsBothModels()
{
    gui::WindowState& state = *m_window->state();
    show(PatternShown::AMinusB);
    const auto a = state.side(Side::A).pattern, b = state.side(Side::B).pattern;
    const auto before = view(Side::A)->pattern().values;
    QVERIFY(a && b && before);
    const auto former = std::make_shared<app::PatternReply>(*b);
    former->text += " Ada";
    state.setPattern(Side::B, former);
    QCOMPARE(view(Side::A)->pattern().values, before); // B's new one is on its way
    state.setPatternProblem(Side::B, QStringLiteral("B cannot read it."));
    QVERIFY(view(Side::A)->pattern().empty());
    state.setPattern(Side::A, a);
    QVERIFY(view(Side::A)->pattern().empty());
    state.setPattern(Side::B, b);
    QVERIFY(!view(Side::A)->pattern().empty());
    show(PatternShown::Pattern);
}

// A benchmark is being scored when another model comes: its number is of that one.
void TestComparison::scoresOfTheFormerModelAreNotShown()
{
    const std::string task = "toy_kv:pairs=16"; // not scored before, so that it takes a while
    const auto accuracy = [&] {
        const auto& scores = explorer().state().side(Side::A).scores;
        for (const app::BenchmarkScore& line : scores ? scores->lines : std::vector<app::BenchmarkScore>())
            if (line.task == task)
                return line.baseline;
        return -1.0;
    };
    Q_EMIT m_window->parts().scores->model()->followChanged(QString::fromStdString(task), true);
    QVERIFY(m_window->worker()->isRunning<app::ScoresRequest>(Side::A));
    explorer().openModel(Side::A, QStringLiteral("tiny-ssm"));
    QVERIFY(until([this] { return explorer().model(Side::A)->name == "tiny-ssm"; }));
    QVERIFY(idle());
    const double shown = accuracy();
    QVERIFY(shown >= 0);
    explorer().scoreAgain();
    QVERIFY(idle());
    QCOMPARE(shown, accuracy());
    Q_EMIT m_window->parts().scores->model()->followChanged(QString::fromStdString(task), false);
}

void TestComparison::aClosedSideHasNoHeadsToActOn()
{
    widgets::HeadMapView* map = m_window->parts().mapB->view();
    QVERIFY(explorer().model(Side::B));
    map->setSelectedHeads({map->currentHead()});
    QVERIFY(!map->selectedHeads().isEmpty());
    explorer().closeB();
    QVERIFY(map->selectedHeads().isEmpty());
    for (QAction* action : map->actions())
        action->trigger();
    QVERIFY(!explorer().model(Side::B));
}

QTEST_MAIN(TestComparison)
#include "tst_comparison.moc"
