// SPDX-License-Identifier: GPL-3.0-or-later
// Weights, probes, knockout by layer and steering of a shipped model, in the whole window: what is measured is right
// for the heads that are known, is kept in the session, and comes back from there.
#include "app/controllers/session/analysescontroller.h"
#include "app/window/explorerpage.h"
#include "sessions/analyses.h"
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"
#include "tests/support/replyrecorder.h"
#include "tests/support/windowfixture.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/pattern/patternview.h"

#include <QLabel>
#include <QSlider>
#include <QTabWidget>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using app::Door;
using widgets::TabledView;

class TestAnalysesWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void weightsOfTheShownHead();
    void aScoreByItsWriters();
    void copyingColoursTheMap();
    void changesFromAToBColourBothMaps();
    void probesLabelHeads();
    void theThresholdMovesLabels();
    void aSweepFindsTheLayer();
    void bothModelsAreAskedAboutTheSameTokens();
    void badSpansAreASentence();
    void steeringFollowsItsSlider();
    void steeringNeedsBothLists();
    void anSsmIsSweptWithoutSoftmax();
    void probesComeBackFromTheSession();
    void steeringStartsWithAnExample_data();
    void steeringStartsWithAnExample();

private:
    [[nodiscard]] widgets::WhyPage& page() const { return *m_fixture.window().parts().why; }
    [[nodiscard]] gui::WindowState& state() const { return *m_fixture.window().state(); }
    /// The numbers of a picture, as T shows them.
    [[nodiscard]] static const widgets::NumberTableModel& tableOf(TabledView* view)
    {
        view->setTableShown(true);
        return *view->table()->numbers();
    }
    /// The entry of a table's row; NaN where there is no such row.
    [[nodiscard]] static double number(const QAbstractItemModel& rows, const QString& name, int column)
    {
        for (int row = 0; row < rows.rowCount(); ++row)
            if (rows.index(row, 0).data().toString() == name)
                return rows.index(row, column).data(widgets::NumberTableModel::kSortRole).toDouble();
        return std::nan("");
    }
    [[nodiscard]] std::optional<sessions::AnalysisRecord> kept(const std::string& kind) const
    {
        auto session = sessions::SessionStore::open(m_fixture.file(u"analyses.headscope"_s).toStdString(),
                                                    {.create = false, .readOnly = true});
        return session.has_value() ? sessions::newestAnalysis(*session, {}, kind).value() : std::nullopt;
    }
    [[nodiscard]] bool isKept(const std::string& kind) const
    {
        return QTest::qWaitFor([&] { return kept(kind).has_value(); }, testing::WindowFixture::kWait);
    }
    testing::WindowFixture m_fixture;
};

void TestAnalysesWindow::initTestCase()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s, u"analyses.headscope"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    QVERIFY(
        QTest::qWaitFor([this] { return state().side(Side::A).pattern != nullptr; }, testing::WindowFixture::kWait));
}

void TestAnalysesWindow::weightsOfTheShownHead()
{
    state().setHead(Side::A, {2, interventions::Site::Any, 5});
    m_fixture.window().act(u"weights"_s);
    QVERIFY(m_fixture.settled<app::WeightsQuestion>());
    const widgets::WeightsView& view = *page().weights()->view(Side::A);
    QVERIFY2(tableOf(view.copying()).rowCount() == 32, qPrintable(view.sentence()));
    const double copying = number(tableOf(view.copying()), u"L2H5"_s, 1);
    // The picture has the same numbers, by layer and head.
    const auto& picture = qobject_cast<widgets::GridView*>(view.copying()->picture())->grid();
    QCOMPARE(picture.rows.size(), 4U);
    QCOMPARE(picture.cell(2, 5).value, copying);
    QVERIFY(picture.scale == widgets::GridScale::Signed);
    QVERIFY2(copying > -1.001 && copying < 1.001, qPrintable(QString::number(copying)));
    // Heads before it and behind it, through query, key and value; the strongest first.
    const QAbstractItemModel& composed = tableOf(view.composed());
    QCOMPARE(composed.rowCount(), 3 * (16 + 8));
    double before = 1e9;
    for (int row = 0; row < composed.rowCount(); ++row) {
        const QString from = composed.index(row, 0).data().toString(), to = composed.index(row, 1).data().toString();
        QVERIFY(from == u"L2H5"_s || to == u"L2H5"_s);
        const double value = composed.index(row, 3).data(widgets::NumberTableModel::kSortRole).toDouble();
        QVERIFY(value <= before);
        before = value;
    }
    const auto& parts = qobject_cast<widgets::GridsView*>(view.composed()->picture())->grids();
    QCOMPARE(parts.size(), 3U); // query, key and value
    double most = 0;
    for (const widgets::GridView* part : parts)
        for (const widgets::GridCell& cell : part->grid().cells)
            most = std::isnan(cell.value) ? most : std::max(most, cell.value);
    QCOMPARE(most, composed.index(0, 3).data(widgets::NumberTableModel::kSortRole).toDouble());
    Q_EMIT parts[0]->cellChosen(1, 2);
    QCOMPARE(state().side(Side::A).head, (interventions::HeadRef{1, interventions::Site::Any, 2}));
    state().setHead(Side::A, {2, interventions::Site::Any, 5});
    QVERIFY(m_fixture.settled<app::WeightsQuestion>());
    const QAbstractItemModel& directions = *view.directions()->numbers();
    QCOMPARE(directions.rowCount(), 12);
    QCOMPARE(directions.index(0, 0).data().toString(), u"OV"_s);
    QVERIFY(!directions.index(0, 2).data().toString().isEmpty());
    QVERIFY(isKept("weights"));
}

// The page answers when it is opened, of the strongest cell; a cell's menu asks about that one, and both lists add up.
void TestAnalysesWindow::aScoreByItsWriters()
{
    state().setHead(Side::A, {2, interventions::Site::Any, 5});
    m_fixture.window().act(u"score-parts"_s);
    const widgets::ScorePartsView& view = *page().scoreParts()->view(Side::A);
    QVERIFY2(QTest::qWaitFor([&] { return view.sentence().contains(u"L2H5"_s); }, testing::WindowFixture::kWait),
             qPrintable(view.sentence()));
    QVERIFY(isKept("why-score"));
    const QString first = view.sentence();
    m_fixture.window().findChild<gui::ExplorerPage*>()->showPatterns();
    Q_EMIT m_fixture.window().parts().patternA->whyRequested(53, 30);
    QVERIFY(page().scoreParts()->isVisible());
    QVERIFY2(QTest::qWaitFor([&] { return view.sentence() != first && view.sentence().contains(u"(30)"_s); },
                             testing::WindowFixture::kWait),
             qPrintable(view.sentence()));
    QCOMPARE(view.query().bars().size(), 22U + 1); // writers and their sum
    QVERIFY(std::abs(view.query().sum() - view.key().sum()) < 1e-3);
    QCOMPARE(view.pairs()->numbers()->rowCount(), 20);
    Q_EMIT view.pairs()->rowChosen(u"L1H2"_s); // the writer's own pattern
    QCOMPARE(state().side(Side::A).head, (interventions::HeadRef{1, interventions::Site::Any, 2}));
    m_fixture.window().findChild<gui::ExplorerPage*>()->showPatterns();
    state().setHead(Side::A, {2, interventions::Site::Any, 5});
}

void TestAnalysesWindow::copyingColoursTheMap()
{
    state().setMetric(Side::A, "copying");
    const auto& own = state().side(Side::A).ownMetrics;
    QVERIFY(own.contains("copying"));
    QCOMPARE(own.at("copying").size(), 32U);
    const widgets::HeadMetric& shown = m_fixture.window().parts().mapA->model()->metric();
    QVERIFY2(shown.name.contains(u"copying"_s), qPrintable(shown.name));
    const double score = number(tableOf(page().weights()->view(Side::A)->copying()), u"L2H5"_s, 1);
    QVERIFY(std::abs(shown.values[2][5] - score) < 1e-6);
    state().setMetric(Side::A, "effect");
}

void TestAnalysesWindow::probesLabelHeads()
{
    m_fixture.window().act(u"probes"_s);
    QVERIFY(m_fixture.settled<app::ProbeQuestion>());
    const widgets::ProbeView& view = *page().probes()->view(Side::A);
    const QAbstractItemModel& rows = tableOf(view.heads());
    QVERIFY2(rows.rowCount() == 32, qPrintable(view.sentence()));
    QCOMPARE(rows.columnCount(), 7); // with retrieval: the model has a task for it
    QVERIFY2(number(rows, u"L2H5"_s, 5) > 0.5, qPrintable(QString::number(number(rows, u"L2H5"_s, 5))));
    QCOMPARE(view.grids()->grids().size(), 5U); // a picture for each score
    QCOMPARE(view.grids()->grids().back()->grid().cell(2, 5).value, number(rows, u"L2H5"_s, 5));
    Q_EMIT view.grids()->cellChosen(0, 1);
    QCOMPARE(state().side(Side::A).head, (interventions::HeadRef{0, interventions::Site::Any, 1}));
    state().setHead(Side::A, {2, interventions::Site::Any, 5});
    const auto record = isKept("probe") ? kept("probe") : std::nullopt;
    QVERIFY(record && record->values.size() == 32 * 5);
}

void TestAnalysesWindow::theThresholdMovesLabels()
{
    const auto labelled = [this] {
        const QAbstractItemModel& rows = tableOf(page().probes()->view(Side::A)->heads());
        int count = 0;
        for (int row = 0; row < rows.rowCount(); ++row)
            count += rows.index(row, 6).data().toString().isEmpty() ? 0 : 1;
        return count;
    };
    page().probes()->threshold()->setValue(20);
    const int many = labelled();
    page().probes()->threshold()->setValue(90);
    QVERIFY2(labelled() >= 1 && labelled() < many, qPrintable(QString::number(labelled())));
    page().probes()->threshold()->setValue(50);
    // The map writes the same labels, and says score and threshold of each.
    const widgets::HeadMapModel& map = *m_fixture.window().parts().mapA->model();
    const QAbstractItemModel& rows = tableOf(page().probes()->view(Side::A)->heads());
    for (int row = 0; row < rows.rowCount(); ++row) {
        const auto head = interventions::parseHead(rows.index(row, 0).data().toString().toStdString());
        const QModelIndex cell = map.index(head->layer, head->head);
        QCOMPARE(cell.data(widgets::HeadMapModel::TagRole).toString().isEmpty(),
                 rows.index(row, 6).data().toString().isEmpty());
    }
    const QModelIndex retrieval = map.index(2, 5);
    QCOMPARE(retrieval.data(widgets::HeadMapModel::TagRole).toString(), u"Re"_s);
    const QString words = retrieval.data(Qt::AccessibleTextRole).toString();
    QVERIFY2(words.contains(u"retrieval"_s) && words.contains(u"from 0.5"_s), qPrintable(words));
    QVERIFY2(page().probes()->view(Side::A)->sentence().contains(u"Re = retrieval"_s),
             qPrintable(page().probes()->view(Side::A)->sentence()));
    QVERIFY(state().side(Side::A).ownMetrics.contains("probe induction"));
}

void TestAnalysesWindow::aSweepFindsTheLayer()
{
    m_fixture.window().act(u"knockout"_s); // the last token stops reading the piece that the answer comes from
    QVERIFY(m_fixture.settled<app::SweepQuestion>());
    widgets::SweepPage& sweep = *page().sweep();
    const QAbstractItemModel& rows = *sweep.table()->numbers();
    QVERIFY2(rows.rowCount() == 4, qPrintable(sweep.sentence()));
    double lowest = 1e9;
    int layer = -1;
    for (int row = 0; row < 4; ++row)
        if (const double value = rows.index(row, 2).data(widgets::NumberTableModel::kSortRole).toDouble();
            value < lowest) {
            lowest = value;
            layer = row;
        }
    QCOMPARE(layer, 2); // where L2H5 aggregates
    QVERIFY2(sweep.sentence().contains(u"lowest in L2: "_s), qPrintable(sweep.sentence()));
    QCOMPARE(sweep.chart()->lines().size(), 2U);
    QVERIFY(isKept("knockout"));
}

// A's second token is not B's; differences of two pairs cannot be compared on one axis.
void TestAnalysesWindow::bothModelsAreAskedAboutTheSameTokens()
{
    m_fixture.explorer().openModel(Side::B, u"tiny-ssm"_s);
    const auto& sweep = m_fixture.explorer().controllers().sweep;
    QVERIFY(
        QTest::qWaitFor([&] { return sweep.shown(Side::A) && sweep.shown(Side::B); }, testing::WindowFixture::kWait));
    QCOMPARE(sweep.shown(Side::B)->answer, sweep.shown(Side::A)->answer);
    QCOMPARE(sweep.shown(Side::B)->distractor, sweep.shown(Side::A)->distractor);
    QVERIFY(sweep.shown(Side::B)->tokens == sweep.shown(Side::A)->tokens);
    QVERIFY(!sweep.shown(Side::A)->distractor.empty());
    m_fixture.explorer().closeB();
    QVERIFY(QTest::qWaitFor([&] { return !m_fixture.window().worker()->busy(); }, testing::WindowFixture::kWait));
}

void TestAnalysesWindow::badSpansAreASentence()
{
    widgets::SweepPage& sweep = *page().sweep();
    const widgets::SweepChoice good = sweep.choice();
    widgets::SweepChoice bad = good;
    bad.firstKey = bad.lastKey = bad.lastQuery;
    sweep.setChoice(bad);
    Q_EMIT sweep.startRequested();
    QVERIFY(m_fixture.settled<app::SweepQuestion>());
    QVERIFY2(sweep.sentence().contains(u"overlap"_s), qPrintable(sweep.sentence()));
    QCOMPARE(sweep.table()->numbers()->rowCount(), 0);
    sweep.setChoice(good);
}

void TestAnalysesWindow::steeringFollowsItsSlider()
{
    widgets::SteerPage& steering = *page().steering();
    steering.setChoice(
        {.layer = 2, .toward = u"the value of Ada is"_s, .away = u"the color of Ada is"_s, .vector = {}});
    steering.setStrength(2);
    Q_EMIT steering.steerRequested();
    const auto factor = [this] {
        for (const auto& item : state().side(Side::A).ablation.items())
            if (const auto* steer = std::get_if<interventions::Steer>(&item))
                return steer->factor;
        return std::nan("");
    };
    QVERIFY2(factor() == 2, qPrintable(steering.sentence()));
    QVERIFY(m_fixture.settled<app::MapRequest>()); // the direction is made and added
    QVERIFY2(state().side(Side::A).patternProblem.isEmpty(), qPrintable(state().side(Side::A).patternProblem));
    steering.slider()->setValue(-35);
    QCOMPARE(factor(), -3.5);
    state().undoStack().undo();
    QCOMPARE(factor(), 2.0);
    QCOMPARE(steering.strength(), 2.0);
    Q_EMIT steering.removeRequested();
    QVERIFY(state().side(Side::A).ablation.empty());
}

void TestAnalysesWindow::steeringNeedsBothLists()
{
    widgets::SteerPage& steering = *page().steering();
    steering.setChoice({.layer = 2, .toward = u"the value of Ada is"_s, .away = u"  \n"_s, .vector = {}});
    Q_EMIT steering.steerRequested();
    QVERIFY2(steering.sentence().contains(u"two lists"_s), qPrintable(steering.sentence()));
    QVERIFY(state().side(Side::A).ablation.empty());
}

// B is A with an adapter that turns the queries of layer 0.
void TestAnalysesWindow::changesFromAToBColourBothMaps()
{
    const QString adapter = m_fixture.file(u"turned"_s);
    clifixture::writeAdapter(adapter);
    m_fixture.explorer().openModel(Side::B, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer+")
                                                + adapter);
    QVERIFY(QTest::qWaitFor([this] { return state().hasModel(Side::B); }, testing::WindowFixture::kWait));
    const auto values = [this](Side side, const char* metric) {
        const auto& known = state().side(side).ownMetrics;
        const auto found = known.find(metric);
        return found == known.end() ? std::vector<app::HeadValue>() : found->second;
    };
    state().setMetric(Side::A, "changed qk");
    QVERIFY(QTest::qWaitFor([&] { return values(Side::B, "changed pattern").size() == 32; },
                            testing::WindowFixture::kWait));
    for (const Side side : kSides) {
        QCOMPARE(values(side, "changed qk").size(), 32U);
        for (const app::HeadValue& head : values(side, "changed qk"))
            QCOMPARE(head.value > 1e-3, head.head.layer == 0);
        for (const app::HeadValue& head : values(side, "changed ov"))
            QCOMPARE(head.value, 0.0);
        for (const app::HeadValue& head : values(side, "changed pattern"))
            QVERIFY(head.value > 0 && head.value <= 1);
    }
    const widgets::HeadMapModel& map = *m_fixture.window().parts().mapA->model();
    QVERIFY(map.index(0, 3).data(widgets::HeadMapModel::ValueRole).toDouble() > 1e-3);
    QCOMPARE(map.index(2, 5).data(widgets::HeadMapModel::ValueRole).toDouble(), 0.0);
    // Patterns are of the prompt, weights are not; without B nothing is compared.
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=4"_s));
    QVERIFY(values(Side::A, "changed pattern").empty() && values(Side::A, "changed qk").size() == 32);
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_fixture.explorer().closeB();
    QVERIFY(QTest::qWaitFor([this] { return !state().hasModel(Side::B); }, testing::WindowFixture::kWait));
    QVERIFY(values(Side::A, "changed qk").empty());
    QCOMPARE(state().side(Side::A).metric, std::string("effect"));
}

// The page begins with "before the softmax"; a model that has none is swept all the same, and says how.
void TestAnalysesWindow::anSsmIsSweptWithoutSoftmax()
{
    m_fixture.window().openModels(u"tiny-ssm"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == "tiny-ssm"; },
                            testing::WindowFixture::kWait));
    QVERIFY(
        QTest::qWaitFor([this] { return state().side(Side::A).pattern != nullptr; }, testing::WindowFixture::kWait));
    widgets::SweepPage& sweep = *page().sweep();
    QVERIFY(sweep.choice().beforeSoftmax);
    Q_EMIT sweep.startRequested();
    QVERIFY(m_fixture.settled<app::SweepQuestion>());
    QVERIFY2(sweep.table()->numbers()->rowCount() == 4, qPrintable(sweep.sentence()));
    QVERIFY2(sweep.sentence().contains(u"entries become zero"_s), qPrintable(sweep.sentence()));
    // Each side has what it is with nothing knocked out.
    sweep.chart()->setSweep(
        {{.name = u"A"_s, .points = {{0, 4}}}, {.name = u"B"_s, .points = {{0, 3}}, .side = Side::B}}, {9, 7}, 4);
    QCOMPARE(sweep.chart()->lines().size(), 4U);
    QCOMPARE(sweep.chart()->lines()[2].points.front().y(), 9.0);
    QCOMPARE(sweep.chart()->lines()[3].points.front().y(), 7.0);
    QCOMPARE(sweep.chart()->lines()[3].side, Side::B);
    QCOMPARE(sweep.chart()->lines()[3].name, u"B, intact"_s);
}

void TestAnalysesWindow::probesComeBackFromTheSession()
{
    const QString session = m_fixture.file(u"analyses.headscope"_s);
    m_fixture.close();
    testing::WindowFixture again;
    QVERIFY(again.open(u"tiny-transformer"_s));
    again.explorer().openSession(session, false);
    const widgets::ProbeView& view = *again.window().parts().why->probes()->view(Side::A);
    QVERIFY(QTest::qWaitFor([&] { return view.heads()->numbers().rows.size() == 32; }, testing::WindowFixture::kWait));
    QVERIFY(view.sentence().contains(u"seed 0"_s));
    const widgets::HeadMapModel& map = *again.window().parts().mapA->model();
    QCOMPARE(map.index(2, 5).data(widgets::HeadMapModel::TagRole).toString(), u"Re"_s);
}

void TestAnalysesWindow::steeringStartsWithAnExample_data()
{
    QTest::addColumn<QString>("model");
    for (const char* model :
         {"tiny-transformer", "tiny-ssm", "tiny-hybrid", "small-transformer", "small-ssm", "small-hybrid"})
        QTest::newRow(model) << QString::fromLatin1(model);
}

// The page names a prompt to try the example on: it asks for a food, and the steered model answers with a town.
void TestAnalysesWindow::steeringStartsWithAnExample()
{
    QFETCH(const QString, model);
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(model));
    QVERIFY(QTest::qWaitFor([&] { return !fixture.explorer().prompt().text.empty(); }, testing::WindowFixture::kWait));
    widgets::SteerPage& steering = *fixture.window().parts().why->steering();
    QVERIFY2(!steering.choice().toward.isEmpty() && steering.sentence().contains(u"“The food of Bruno is”"_s),
             qPrintable(steering.sentence()));
    fixture.explorer().usePrompt({.text = "The food of Bruno is"});
    QVERIFY(fixture.settled<app::NextTokensRequest>());
    const testing::ReplyRecorder<app::NextTokensRequest> heard(*fixture.window().worker());
    Q_EMIT steering.steerRequested();
    QVERIFY(QTest::qWaitFor([&] { return !heard.replies.empty(); }, testing::WindowFixture::kWait));
    QCOMPARE(fixture.explorer().prompt().text, std::string("The food of Bruno is"));
    const std::string answer = heard.replies.back()->written;
    qInfo("%s: %s", qPrintable(model), answer.c_str());
    const QString shown = QString::fromStdString(answer).trimmed();
    constexpr const char* kTowns[] = {"Paris",  "London",  "Berlin",  "Madrid",  "Rome",   "Vienna",
                                      "Oslo",   "Lisbon",  "Athens",  "Dublin",  "Prague", "Lima",
                                      "Warsaw", "Cairo",   "Nairobi", "Lagos",   "Delhi",  "Tokyo",
                                      "Seoul",  "Beijing", "Sydney",  "Toronto", "Boston", "Havana"};
    QVERIFY2(std::ranges::any_of(kTowns, [&](const char* town) { return shown.startsWith(QLatin1String(town)); }),
             answer.c_str());
    QVERIFY(std::ranges::any_of(steering.findChildren<QLabel*>(),
                                [&](const QLabel* label) { return label->text() == u"answers “%1”"_s.arg(shown); }));
    Q_EMIT steering.removeRequested();
}

QTEST_MAIN(TestAnalysesWindow)
#include "tst_analyseswindow.moc"
