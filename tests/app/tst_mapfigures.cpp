// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of maps, of patterns and of heads: what they show, whose they are called, and that one colour is one value.
#include "app/figures/paperfigures.h"
#include "tests/support/figurefixture.h"
#include "widgets/figures/figurerenderer.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace headscope;
using namespace headscope::figures;
using namespace headscope::testing;

class TestMapFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCOMPARE(m_fixture.open(), std::string()); }
    void claimsNoRoleThatWasNotMeasured();
    void aHeadThatOnlyLooksIsNoAggregateHead();
    void differenceOfAMapAndItselfIsZero();
    void mapsOfAnSsmAreSigned();
    void mapsOfOneFigureShareTheirScale();
    void headMapHasMarksAndCrosses();
    void lossesOfRankingsPointOneWay();
    void aMapOf512TokensStaysSmall();
    void headMapsOfOneMetricShareTheirScale();

private:
    FigureFixture m_fixture;
};

// Without segments and rankings nobody knows which head gathers.
void TestMapFigures::claimsNoRoleThatWasNotMeasured()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("plain.headscope")).toStdString());
    VERIFY_OK(session);
    QCOMPARE(testing::fill(*session), std::string());
    const auto recipe = findRecipe(*session, "gather-aggregate-maps");
    VERIFY_OK(recipe);
    QCOMPARE(recipe->title, std::string("Patterns of the heads"));
    QCOMPARE(recipe->panels.at(0).heading, std::string());
}

// L0H1 looks at the value as much as L2H5 does, or more; that nothing needs it only its removal says.
void TestMapFigures::aHeadThatOnlyLooksIsNoAggregateHead()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("looks.headscope")).toStdString());
    VERIFY_OK(session);
    VERIFY_OK(session->putModel(exampleModel()));
    for (const auto& [head, diagonal] : {std::pair("L2H5", 0.8F), std::pair("L0H1", 0.1F), std::pair("L1H0", 0.5F)})
        VERIFY_OK(session->putPattern(pattern(head, 9, diagonal)));
    const auto looks = findRecipe(*session, "gather-aggregate-maps");
    VERIFY_OK(looks);
    QCOMPARE(looks->title, std::string("Patterns of the heads"));
    QCOMPARE(looks->panels.back().heading, std::string("largest share on the answer's value"));
    QVERIFY(looks->panels.back().pattern.head != "L2H5");
    VERIFY_OK(session->addRanking({.modelHash = exampleModel().hash,
                                   .dtype = "fp32",
                                   .device = "cpu",
                                   .task = "toy_kv:pairs=8",
                                   .method = "exact",
                                   .n = 32,
                                   .heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92}, {"L0H1", 1, 0, 0, 0}}}));
    const auto needed = findRecipe(*session, "gather-aggregate-maps");
    VERIFY_OK(needed);
    QCOMPARE(needed->title, std::string("Gather and aggregate heads"));
    QCOMPARE(needed->panels.size(), std::size_t(1));
    QCOMPARE(needed->panels.front().pattern.head, std::string("L2H5"));
    QCOMPARE(needed->panels.front().heading, std::string("aggregate head"));
}

void TestMapFigures::differenceOfAMapAndItselfIsZero()
{
    const PatternRef ref{.head = "L2H5", .convention = "softmax attention (rows sum to 1)"};
    const auto figure = m_fixture.made({.kind = PanelKind::Pattern, .pattern = ref, .minus = ref});
    QCOMPARE(figure.panels.size(), 1U);
    const auto& map = std::get<widgets::PatternFigure>(figure.panels[0].content);
    QVERIFY(map.data.isSigned);
    QCOMPARE(map.data.values->values, std::vector<float>(81, 0.0F));
    QCOMPARE(map.data.segments.size(), 5U);
}

// A map of an SSM that a window kept is drawn signed, and its row as shares, so that it stands beside attention.
void TestMapFigures::mapsOfAnSsmAreSigned()
{
    sessions::PatternRecord ssm = pattern("L1H2", 9, -30.0F);
    ssm.convention = {.kind = analysis::MatrixKind::Hidden};
    QCOMPARE(failure(m_fixture.session().putPattern(ssm)), std::string());
    const PatternRef ref{.head = "L1H2"};
    const auto map = m_fixture.made({.kind = PanelKind::Pattern, .pattern = ref});
    QCOMPARE(map.panels.size(), 1U);
    QVERIFY(std::get<widgets::PatternFigure>(map.panels[0].content).data.isSigned);
    const auto bars = m_fixture.made({.kind = PanelKind::Row, .pattern = ref});
    QCOMPARE(bars.panels.size(), 1U);
    const auto& row = std::get<widgets::RowFigure>(bars.panels[0].content);
    float sum = 0;
    for (const float value : row.profile.values)
        sum += std::abs(value);
    QVERIFY2(std::abs(sum - 1) < 1e-5F, qPrintable(QString::number(sum)));
    QVERIFY(row.axis.low <= static_cast<double>(row.profile.values.back())
            && row.axis.low < 0); // the diagonal is negative
}

// One colour is one value in every map of a figure that shows the same quantity; and an SSM's rows may be shares.
void TestMapFigures::mapsOfOneFigureShareTheirScale()
{
    const PanelRecipe one{.kind = PanelKind::Pattern, .pattern = {.head = "L2H5"}, .scale = "minmax"},
        two{.kind = PanelKind::Pattern, .pattern = {.head = "L0H1"}, .scale = "minmax"};
    const auto figure = figures::makeFigure(m_fixture.session(), {.columns = 2, .panels = {one, two}});
    QVERIFY(figure.has_value());
    const auto& first = std::get<widgets::PatternFigure>(figure->panels[0].content);
    const auto& second = std::get<widgets::PatternFigure>(figure->panels[1].content);
    QVERIFY(first.extremes && second.extremes);
    QCOMPARE(first.extremes->values, second.extremes->values);
    float high = 0;
    for (const auto* map : {&first, &second})
        for (const float value : map->data.values->values)
            high = std::max(high, value);
    QCOMPARE(first.extremes->values.back(), high);
    QVERIFY(*std::max_element(first.data.values->values.begin(), first.data.values->values.end())
            != *std::max_element(second.data.values->values.begin(), second.data.values->values.end()));
    sessions::PatternRecord ssm = pattern("L1H2", 9, -30.0F);
    ssm.convention = {.kind = analysis::MatrixKind::Hidden};
    QCOMPARE(failure(m_fixture.session().putPattern(ssm)), std::string());
    const auto shares =
        m_fixture.made({.kind = PanelKind::Pattern, .pattern = {.head = "L1H2"}, .scale = "row", .shares = true});
    const auto& map = std::get<widgets::PatternFigure>(shares.panels[0].content);
    QVERIFY(!map.data.isSigned);
    QCOMPARE(map.data.meaning,
             QStringLiteral("|hidden attention| ÷ row sum, with D")); // short enough to stand beside another
    float sum = 0;
    for (const float value : map.data.values->row(8))
        sum += value;
    QVERIFY(std::abs(sum - 1) < 1e-5F);
}

void TestMapFigures::headMapHasMarksAndCrosses()
{
    const auto figure = m_fixture.made({.kind = PanelKind::HeadMap, .off = "L2H5 keep:L0H1"});
    QCOMPARE(figure.panels.size(), 1U);
    const auto& map = std::get<widgets::HeadMapFigure>(figure.panels[0].content);
    QCOMPARE(map.lines.size(), 4U); // the last layer has two kinds
    QCOMPARE(map.lines[2].marks[5], QStringLiteral("A"));
    QCOMPARE(map.lines[0].marks[1], QStringLiteral("G"));
    QVERIFY(map.lines[2].off[5] && !map.lines[2].off[4]);
    QVERIFY(map.lines[0].off[0] && !map.lines[0].off[1]);
    QCOMPARE(map.lines[2].values[5], 0.95F);
    QVERIFY(std::isnan(map.lines[2].values[0]) && std::isnan(map.lines[3].values[0]));
}

// A race stores the accuracy without the head, an estimate the change: both are drawn as what is lost.
void TestMapFigures::lossesOfRankingsPointOneWay()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    sessions::RankingRecord ranking{.modelHash = exampleModel().hash,
                                    .dtype = "fp32",
                                    .device = "cpu",
                                    .task = "toy_kv:pairs=8",
                                    .method = "race",
                                    .n = 20,
                                    .heads = {{"L2H5", 0.25, -0.75, -0.9, -0.5}, {"L1H0", 1, 0, -0.1, 0.1}}};
    VERIFY_OK(fixture.session().addRanking(ranking));
    ranking.method = "estimate";
    ranking.heads = {{"L2H5", -3, 0, -4, -2}, {"L1H0", 0.5, 0, 0.25, 0.75}};
    VERIFY_OK(fixture.session().addRanking(ranking));
    for (const auto& [method, most, least] : {std::tuple("race", 0.75F, 0.0F), std::tuple("estimate", 3.0F, -0.5F)}) {
        const auto figure = fixture.made({.kind = PanelKind::HeadMap, .method = method});
        QCOMPARE(figure.panels.size(), std::size_t{1});
        const auto& map = std::get<widgets::HeadMapFigure>(figure.panels[0].content);
        QVERIFY2(map.metric.startsWith(QStringLiteral("loss of ")), qPrintable(map.metric));
        QCOMPARE(map.lines[2].values[5], most);
        QCOMPARE(map.lines[1].values[0], least);
        QCOMPARE(map.isSigned, least < 0);
        const auto bars = fixture.made({.kind = PanelKind::Ranking, .method = method});
        const auto first = std::get<widgets::BarFigure>(bars.panels.at(0).content).bars.at(0).values.at(0);
        QVERIFY(first.low < first.value && first.value < first.high);
        QCOMPARE(static_cast<float>(first.value), most);
    }
    ranking.method = "pairs";
    ranking.heads = {{"L2H5 L1H0", 0.25, -0.75, -0.9, -0.5}};
    VERIFY_OK(fixture.session().addRanking(ranking));
    const auto pairs = fixture.made({.kind = PanelKind::Ranking, .method = "pairs"});
    const auto& bars = std::get<widgets::BarFigure>(pairs.panels.at(0).content);
    QCOMPARE(bars.bars.at(0).values.at(0).value, 0.75);
    QVERIFY2(bars.xTitle.endsWith(QStringLiteral("without the heads")), qPrintable(bars.xTitle));
    QVERIFY(fixture.made({.kind = PanelKind::HeadMap, .method = "pairs"})
                .title.contains(QStringLiteral("ablates several heads together")));
}

void TestMapFigures::aMapOf512TokensStaysSmall()
{
    sessions::PatternRecord large = pattern("L1H1", 512, 0.5F);
    for (std::size_t i = 0; i < large.values.values.size(); ++i) // no two cells alike: nothing to compress
        large.values.values[i] *= 1.0F + static_cast<float>((i * 7919) % 1009) / 1009.0F;
    VERIFY_OK(m_fixture.session().putPattern(large));
    const auto figure = m_fixture.made({.kind = PanelKind::Pattern, .pattern = {.head = "L1H1"}, .scale = "log"});
    for (const auto format : {widgets::FigureFormat::Pdf, widgets::FigureFormat::Svg}) {
        const auto bytes = widgets::renderFigure(figure, {}, format);
        VERIFY_OK(bytes);
        QVERIFY2(bytes->size() < 2'000'000, qPrintable(QString::number(bytes->size())));
    }
}

void TestMapFigures::headMapsOfOneMetricShareTheirScale()
{
    QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    for (const char* name : {"one", "two"}) {
        sessions::ModelRecord model = exampleModel(name);
        model.hash = std::string(64, *name == 'o' ? '1' : '2');
        model.layers = 1;
        model.headsJson = R"([[{"kind": "attention", "heads": 2, "kv_heads": 2, "head_dim": 4}]])";
        QCOMPARE(failure(session->putModel(model)), std::string());
        const double loss = *name == 'o' ? 0.9 : 0.2;
        QVERIFY(session
                    ->addRanking({.modelHash = model.hash,
                                  .dtype = "fp32",
                                  .device = "cpu",
                                  .task = "toy_kv:pairs=8",
                                  .method = "exact",
                                  .n = 32,
                                  .heads = {{"L0H0", 1 - loss, -loss, -1, 0}, {"L0H1", 1, 0, 0, 0}}})
                    .has_value());
    }
    const auto figure = makeFigure(*session, *findRecipe(*session, "head-map"));
    QVERIFY2(figure.has_value(), figure.has_value() ? "" : figure.error().message.c_str());
    QCOMPARE(figure->panels.size(), std::size_t(2));
    for (const widgets::FigurePanel& panel : figure->panels) {
        const auto& map = std::get<widgets::HeadMapFigure>(panel.content);
        QVERIFY(map.extremes.has_value());
        QCOMPARE(map.extremes->first, 0.0F);
        QCOMPARE(map.extremes->second, 0.9F);
    }
}

int main(int argc, char** argv)
{
    QHashSeed::setDeterministicGlobalSeed();
    QGuiApplication application(argc, argv);
    TestMapFigures test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_mapfigures.moc"
