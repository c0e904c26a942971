// SPDX-License-Identifier: GPL-3.0-or-later
// Figures from sessions: recipes keep what they say, every kind is drawn without a model, and a re-made figure has the
// same bytes, in another process too.
#include "app/figures/paperfigures.h"
#include "app/figures/recipe.h"
#include "app/figures/sessionfigure.h"
#include "app/figures/source.h"
#include "core/analysis/convention.h"
#include "sessions/analyses.h"
#include "sessions/surveys.h"
#include "tests/support/paintedtexts.h"
#include "tests/support/sessionfixture.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/figuretext.h"

#include <QHashFunctions>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::figures;
using namespace headscope::testing;

namespace {

constexpr int kRows = 20;

/// Scores of one state on one task, so many of kRows right.
void score(sessions::SessionStore& session, const std::string& task, const std::string& ablation, int right,
           const std::string& version = {})
{
    const auto some = examples(kRows, task);
    QCOMPARE(failure(session.putExamples(some)), std::string());
    std::vector<sessions::ResultRecord> results;
    for (const auto& example : some)
        results.push_back(resultFor(example, example.row < right));
    auto key = series(ablation);
    key.task = task;
    key.taskVersion = version;
    QCOMPARE(failure(session.putResults(key, results)), std::string());
}

sessions::PatternRecord pattern(const std::string& head, int tokens, float diagonal)
{
    sessions::PatternRecord record;
    record.modelHash = exampleModel().hash;
    record.dtype = "fp32";
    record.head = head;
    record.convention = {};
    record.prompt = "red Paris blue Oslo : red";
    record.values = Matrix(tokens, tokens);
    for (int r = 0; r < tokens; ++r) {
        record.tokens.push_back("t" + std::to_string(r));
        for (int c = 0; c <= r; ++c)
            record.values.at(r, c) = c == r ? diagonal : (1 - diagonal) / static_cast<float>(r);
    }
    record.segments = {{Role::Key, 1, 2, true},
                       {Role::Value, 2, 3, true},
                       {Role::Key, 3, 4, false},
                       {Role::Value, 4, 5, false},
                       {Role::Query, 6, 8, false}};
    record.source = "toy_kv:pairs=8, sample 0";
    return record;
}

/// What the commands leave behind when a person has measured all that the figures need.
std::string fillAll(sessions::SessionStore& session)
{
    if (const std::string problem = fill(session); !problem.empty())
        return problem;
    int right = kRows;
    for (const char* task : {"toy_kv:pairs=4", "toy_kv:pairs=16", "toy_kv:pairs=24"}) {
        score(session, task, "", right--);
        score(session, task, "L2H5", right - 12);
    }
    score(session, "toy_mc", "", 18);
    for (const char* ablation : {"L2H5", "skip:L0", "skip:L1", "skip:L2", "upto:L0", "upto:L1"})
        score(session, "toy_mc", ablation, 5);
    sessions::RankingRecord ranking;
    ranking.modelHash = exampleModel().hash;
    ranking.dtype = "fp32";
    ranking.device = "cpu";
    ranking.task = "toy_kv:pairs=8";
    for (const char* method : {"exact", "gather", "aggregate"}) {
        ranking.method = method;
        ranking.heads = {
            {"L2H5", 0.03, -0.95, -0.97, -0.92}, {"L0H1", 0.5, -0.5, -0.6, -0.4}, {"L1H0", 0.98, 0, -0.01, 0.01}};
        if (ranking.method == "gather")
            ranking.heads[1].value = 0.9;
        if (ranking.method == "aggregate")
            ranking.heads[0].value = 0.8;
        if (const auto added = session.addRanking(ranking); !added.has_value())
            return added.error().message;
    }
    sessions::SurveyRecord survey{{exampleModel().hash, "tokenizer", "fp32", "cpu", "", "texts", "{}", 1}, "stories"};
    survey.tokens = 1000;
    std::vector<sessions::SurveyHead> heads;
    for (const auto& [head, aggregate] : {std::pair("L2H5", 0.7), std::pair("L0H1", 0.2), std::pair("L1H0", 0.1)})
        heads.push_back({head, {1}, {{"aggregate", 900, aggregate}}, "x"});
    if (const auto put = sessions::putSurvey(session, survey, heads); !put.has_value())
        return put.error().message;
    for (const auto& [head, diagonal] : {std::pair("L0H1", 0.1F), std::pair("L2H5", 0.8F)})
        if (const auto put = session.putPattern(pattern(head, 9, diagonal)); !put.has_value())
            return put.error().message;
    return {};
}

sessions::ModelRecord threeLayers()
{
    sessions::ModelRecord model = exampleModel();
    model.headsJson =
        R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8},{"kind":"mamba2","heads":4}]])";
    return model;
}

} // namespace

class TestFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        auto opened = sessions::SessionStore::open(m_folder.filePath(QStringLiteral("a.session")).toStdString());
        VERIFY_OK(opened);
        m_session.emplace(std::move(*opened));
        QCOMPARE(fillAll(*m_session), std::string());
        VERIFY_OK(m_session->putModel(threeLayers()));
    }
    void recipesKeepWhatTheySay();
    void refusesBadRecipes_data();
    void refusesBadRecipes();
    void drawsThePapersFigures_data();
    void drawsThePapersFigures();
    void dotsHoldTheMeasuredNumbers();
    void dotsHoldWhatNextTokensLose();
    void dotsAreNamedWhereThereIsRoom();
    void saysWhatIsMissing();
    void curveHoldsTheMeasuredNumbers();
    void curveSaysWhatItLeavesOut();
    void choiceMakesOnePanelOfAllModels();
    void claimsNoRoleThatWasNotMeasured();
    void aHeadThatOnlyLooksIsNoAggregateHead();
    void differenceOfAMapAndItselfIsZero();
    void mapsOfAnSsmAreSigned();
    void mapsOfOneFigureShareTheirScale();
    void headMapHasMarksAndCrosses();
    void gridComparesWithTheBaseline();
    void sameBytesInTwoProcesses_data();
    void sameBytesInTwoProcesses();
    void commandStoresAndLists();
    void aMapOf512TokensStaysSmall();
    void wideTablesBreak_data();
    void wideTablesBreak();
    void manyBarsAreDots();
    void headMapsOfOneMetricShareTheirScale();
    void textOfTables();
    void anotherRuleOfScoringIsNamedAndNotPooled();
    void statesAreNamedInWords();

private:
    QByteArray run(const QStringList& arguments, int expected = 0)
    {
        QProcess process;
        process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments);
        if (!process.waitForFinished(120000) || process.exitCode() != expected)
            qWarning("%s", process.readAllStandardError().constData());
        return process.readAllStandardOutput();
    }
    QString session() const { return m_folder.filePath(QStringLiteral("a.session")); }
    widgets::Figure made(const PanelRecipe& panel)
    {
        const auto figure = makeFigure(*m_session, Recipe{.panels = {panel}});
        return figure.has_value() ? *figure : widgets::Figure{.title = QString::fromStdString(figure.error().message)};
    }

    QTemporaryDir m_folder;
    std::optional<sessions::SessionStore> m_session;
};

void TestFigures::recipesKeepWhatTheySay()
{
    Recipe recipe{.title = "Ä \"quoted\"", .caption = "below", .columns = 3, .letters = true};
    recipe.style = {.widthMm = 85.5,
                    .heightMm = 60,
                    .fontPt = 7,
                    .font = "Serif",
                    .background = "dark",
                    .printProvenance = false,
                    .dpi = 72};
    recipe.panels.push_back({.kind = PanelKind::Pattern,
                             .heading = "h",
                             .pattern = {.model = "m", .head = "L2H5"},
                             .minus = PatternRef{.ablation = "L1H0"},
                             .scale = "log",
                             .withoutSink = true,
                             .shares = true,
                             .colours = "cividis",
                             .labelEvery = -1,
                             .brackets = false,
                             .colourBar = false});
    recipe.panels.push_back({.kind = PanelKind::Scores,
                             .view = "grid",
                             .models = {"a", "b"},
                             .tasks = {"t"},
                             .ablations = {"L1H1"},
                             .off = "L2H5",
                             .top = 3});
    const auto read = parseRecipe(recipeText(recipe));
    VERIFY_OK(read);
    QVERIFY(*read == recipe);
    QCOMPARE(recipeText(*read), recipeText(recipe));
}

void TestFigures::refusesBadRecipes_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("said");
    const auto add = [](const char* name, const char* json, const char* said) {
        QTest::newRow(name) << QString::fromUtf8(json) << QString::fromUtf8(said);
    };
    add("no JSON", "{", "not valid JSON");
    add("another thing", "[1]", "not a JSON object");
    add("future", R"({"version":9,"panels":[{"kind":"row"}]})", "version 9");
    add("no panels", R"({"version":1,"panels":[]})", "1 to 64 panels");
    add("kind", R"({"version":1,"panels":[{"kind":"movie"}]})", "kind");
    add("field", R"({"version":1,"panels":[{"kind":"row","run":"rm"}]})", "'run'");
    add("type", R"({"version":1,"panels":[{"kind":"row","row":"last"}]})", "whole number");
    add("range", R"({"version":1,"panels":[{"kind":"row","top":99999999999}]})", "expected -1 to");
    add("scale", R"({"version":1,"panels":[{"kind":"row","scale":"big"}]})", "expected one of");
    add("deep", R"({"version":1,"panels":[[[[[[[[[[[[1]]]]]]]]]]]]})", "nested too deeply");
}

void TestFigures::refusesBadRecipes()
{
    QFETCH(QString, json);
    QFETCH(QString, said);
    const auto read = parseRecipe(json.toStdString());
    QVERIFY(!read.has_value());
    QVERIFY2(read.error().message.find(said.toStdString()) != std::string::npos, read.error().message.c_str());
    QVERIFY(read.error().message.ends_with("."));
}

void TestFigures::drawsThePapersFigures_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"gather-aggregate-maps", "last-row", "kv-curve", "layer-removal", "head-map", "ranking",
                             "ranking-table", "head-dots", "scores", "scores-grid", "scores-bars"})
        QTest::newRow(name) << QString::fromUtf8(name);
}

void TestFigures::drawsThePapersFigures()
{
    QFETCH(QString, name);
    const auto recipe = findRecipe(*m_session, name.toStdString());
    VERIFY_OK(recipe);
    // What is stored is the recipe's text: it must draw the same.
    const auto figure = makeFigure(*m_session, *parseRecipe(recipeText(*recipe)));
    VERIFY_OK(figure);
    const auto svg = widgets::renderFigure(*figure, styleOf(recipe->style), widgets::FigureFormat::Svg);
    VERIFY_OK(svg);
    QVERIFY(svg->contains("<text"));
    for (const char* part : {"tiny-transformer", exampleModel().hash.substr(0, 12).c_str(), "Headscope"})
        QVERIFY2(figure->provenance.contains(QString::fromUtf8(part)), part);
    VERIFY_OK(widgets::figureText(*figure, widgets::FigureText::Csv));
    auto slide = styleOf(*styleRecipe("slide"));
    slide.dark = true;
    slide.dpi = 40;
    VERIFY_OK(widgets::renderFigure(*figure, slide, widgets::FigureFormat::Png));
    QCOMPARE(widgets::figureSizeMm(*figure, slide), QSizeF(254, 142.875));
}

void TestFigures::dotsHoldTheMeasuredNumbers()
{
    const auto figure = made({.kind = PanelKind::Dots, .x = "aggregate", .y = "cost"});
    const auto& plot = std::get<widgets::Plot>(figure.panels.front().content);
    QCOMPARE(plot.series.size(), std::size_t{1});
    QVERIFY(!plot.joined && plot.remarks.join(QString()).contains(QStringLiteral("+1.00"))); // costs follow aggregate
    QCOMPARE(plot.series[0].points.size(), std::size_t{3});
    bool found = false;
    for (const widgets::PlotPoint& point : plot.series[0].points)
        found = found
                || (point.x == 0.7 && point.value == 0.95 && point.interval == std::pair(0.92, 0.97)
                    && point.name == QStringLiteral("L2H5"));
    QVERIFY(found);
    // By magnitude: the head that costs nothing has no place there, and the figure says so; rank is of all.
    const auto byMagnitude = made({.kind = PanelKind::Dots, .x = "aggregate", .y = "cost", .logX = true, .logY = true});
    const auto& magnitudes = std::get<widgets::Plot>(byMagnitude.panels.front().content);
    QCOMPARE(magnitudes.series[0].points.size(), std::size_t{2});
    QVERIFY(magnitudes.remarks.join(QString()).contains(QStringLiteral("not drawn: 1")));
    QVERIFY(magnitudes.remarks.join(QString()).contains(QStringLiteral("+1.00")));
    const QStringList texts = textsOf(byMagnitude, styleOf(*styleRecipe("page")));
    QVERIFY2(texts.contains(QStringLiteral("0.5")), qPrintable(texts.join(u'|'))); // between 0.2 and 0.7
    QCOMPARE(clash(byMagnitude, styleOf(*styleRecipe("page"))), QString());
    QVERIFY(made({.kind = PanelKind::Dots, .x = "induction"}).title.contains(QStringLiteral("no metric 'induction'")));
}

void TestFigures::dotsHoldWhatNextTokensLose()
{
    const PanelRecipe panel{.kind = PanelKind::Dots, .x = "cost", .y = "loss_continued"};
    QVERIFY(made(panel).title.contains(QStringLiteral("no losses of next tokens")));
    sessions::AnalysisRecord record{.key = {exampleModel().hash, "removal", "fp32", "cpu", "", R"({"texts":"a"})"},
                                    .source = "next tokens of stories",
                                    .summary = "s"};
    record.values = {
        {.part = "L2H5", .measure = "loss rise", .value = 0.5, .low = 0.25, .high = 0.75, .words = "continued"},
        {.part = "L2H5", .measure = "loss rise", .value = 0.125, .words = "all"}};
    VERIFY_OK(sessions::putAnalysis(*m_session, record));
    record.key.questionJson = R"({"task":"toy_kv"})"; // of a benchmark, and newer
    record.values = {{.part = "L2H5", .measure = "cost", .value = 1, .words = "toy_kv"}};
    VERIFY_OK(sessions::putAnalysis(*m_session, record));
    const auto figure = made(panel);
    const auto& plot = std::get<widgets::Plot>(figure.panels.front().content);
    QCOMPARE(plot.series[0].points.size(), std::size_t{1});
    QCOMPARE(plot.series[0].points[0].value, 0.5);
    QVERIFY(plot.series[0].points[0].interval == std::pair(0.25, 0.75));
    QVERIFY(figure.provenance.contains(QStringLiteral("next tokens of stories")));
}

void TestFigures::saysWhatIsMissing()
{
    auto empty = sessions::SessionStore::open(m_folder.filePath(QStringLiteral("empty.session")).toStdString());
    VERIFY_OK(empty);
    const auto paper = paperFigures(*empty);
    VERIFY_OK(paper);
    for (const auto& figure : *paper) {
        QVERIFY2(!figure.recipe.has_value(), figure.name.c_str());
        QVERIFY(figure.recipe.error().message.starts_with("The session has no ")
                && figure.recipe.error().message.ends_with("."));
    }
    const auto unknown = findRecipe(*empty, "nothing");
    QVERIFY(!unknown.has_value());
    QVERIFY(unknown.error().message.find("'nothing'") != std::string::npos);
    QVERIFY(made({.kind = PanelKind::Pattern, .pattern = {.head = "L9H9"}})
                .title.contains(QStringLiteral("no pattern of L9H9")));
    QVERIFY(made({.kind = PanelKind::Row,
                  .pattern = {.head = "L2H5", .prompt = {}, .convention = "softmax attention (rows sum to 1)"},
                  .row = 99})
                .title.contains(QStringLiteral("no row 99")));
}

void TestFigures::curveHoldsTheMeasuredNumbers()
{
    const auto figure = made({.kind = PanelKind::Curve, .ablations = {"L2H5"}});
    QCOMPARE(figure.panels.size(), 1U);
    const auto& chart = std::get<widgets::ChartFigure>(figure.panels[0].content);
    QCOMPARE(chart.curves.size(), 3U); // baseline, without L2H5, chance
    QCOMPARE(chart.curves[0].points.size(), 4U);
    QCOMPARE(chart.curves[0].points[3].x, 24.0);
    QCOMPARE(chart.curves[0].points[3].y.value, 18.0 / kRows);
    QCOMPARE(chart.curves[1].name, QStringLiteral("without L2H5"));
    QCOMPARE(chart.curves[1].points[3].y.value, 5.0 / kRows);
    QVERIFY(chart.curves[1].points[3].y.low < 5.0 / kRows && chart.curves[1].points[3].y.high > 5.0 / kRows);
    QCOMPARE(chart.curves[2].points[0].y.value, 0.25); // one of four pairs
}

void TestFigures::curveSaysWhatItLeavesOut()
{
    const auto all = made({.kind = PanelKind::Curve, .lines = 12});
    const auto& every = std::get<widgets::ChartFigure>(all.panels[0].content);
    QVERIFY(every.curves.size() > 2);
    QVERIFY2(all.caption.isEmpty(), qPrintable(all.caption));
    const auto one = made({.kind = PanelKind::Curve, .lines = 1});
    const auto& first = std::get<widgets::ChartFigure>(one.panels[0].content);
    QCOMPARE(first.curves.size(), 2U); // the baseline, and chance
    QCOMPARE(first.curves[0].style, widgets::ChartCurve::Style::Solid);
    QVERIFY2(one.caption.startsWith(QStringLiteral("Not drawn: ")), qPrintable(one.caption));
    QVERIFY2(one.caption.contains(every.curves[1].name), qPrintable(one.caption));
}

void TestFigures::choiceMakesOnePanelOfAllModels()
{
    Recipe recipe{.columns = 2,
                  .letters = true,
                  .panels = {{.kind = PanelKind::Curve, .heading = "a", .models = {"a"}},
                             {.kind = PanelKind::Curve, .heading = "b", .models = {"b"}},
                             {.kind = PanelKind::Pattern, .heading = "map"}}};
    choose(recipe, {.models = {"b", "a"}, .states = {"L2H5"}, .tasks = {}, .lines = 6});
    QCOMPARE(recipe.panels.size(), 2U);
    QVERIFY((recipe.panels[0].models == std::vector<std::string>{"b", "a"}));
    QVERIFY((recipe.panels[0].ablations == std::vector<std::string>{"L2H5"}));
    QCOMPARE(recipe.panels[0].lines, 6);
    QCOMPARE(recipe.panels[1].heading, std::string("map"));
    QVERIFY(recipe.panels[1].models.empty());
}

// Without segments and rankings nobody knows which head gathers.
void TestFigures::claimsNoRoleThatWasNotMeasured()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("plain.headscope")).toStdString());
    VERIFY_OK(session);
    QCOMPARE(testing::fill(*session), std::string());
    const auto recipe = findRecipe(*session, "gather-aggregate-maps");
    VERIFY_OK(recipe);
    QCOMPARE(recipe->title, std::string("What the heads look at"));
    QCOMPARE(recipe->panels.at(0).heading, std::string());
}

// L0H1 looks at the value as much as L2H5 does, or more; that nothing needs it only its removal says.
void TestFigures::aHeadThatOnlyLooksIsNoAggregateHead()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("looks.headscope")).toStdString());
    VERIFY_OK(session);
    VERIFY_OK(session->putModel(exampleModel()));
    for (const auto& [head, diagonal] : {std::pair("L2H5", 0.8F), std::pair("L0H1", 0.1F), std::pair("L1H0", 0.5F)})
        VERIFY_OK(session->putPattern(pattern(head, 9, diagonal)));
    const auto looks = findRecipe(*session, "gather-aggregate-maps");
    VERIFY_OK(looks);
    QCOMPARE(looks->title, std::string("What the heads look at"));
    QCOMPARE(looks->panels.back().heading, std::string("looks most at the value asked for"));
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

void TestFigures::differenceOfAMapAndItselfIsZero()
{
    const PatternRef ref{.head = "L2H5", .convention = "softmax attention (rows sum to 1)"};
    const auto figure = made({.kind = PanelKind::Pattern, .pattern = ref, .minus = ref});
    QCOMPARE(figure.panels.size(), 1U);
    const auto& map = std::get<widgets::PatternFigure>(figure.panels[0].content);
    QVERIFY(map.data.isSigned);
    QCOMPARE(map.data.values->values, std::vector<float>(81, 0.0F));
    QCOMPARE(map.data.segments.size(), 5U);
}

// A map of an SSM that a window kept is drawn signed, and its row as shares, so that it stands beside attention.
void TestFigures::mapsOfAnSsmAreSigned()
{
    sessions::PatternRecord ssm = pattern("L1H2", 9, -30.0F);
    ssm.convention = {.kind = analysis::MatrixKind::Hidden};
    QCOMPARE(failure(m_session->putPattern(ssm)), std::string());
    const PatternRef ref{.head = "L1H2"};
    const auto map = made({.kind = PanelKind::Pattern, .pattern = ref});
    QCOMPARE(map.panels.size(), 1U);
    QVERIFY(std::get<widgets::PatternFigure>(map.panels[0].content).data.isSigned);
    const auto bars = made({.kind = PanelKind::Row, .pattern = ref});
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
void TestFigures::mapsOfOneFigureShareTheirScale()
{
    const PanelRecipe one{.kind = PanelKind::Pattern, .pattern = {.head = "L2H5"}, .scale = "minmax"},
        two{.kind = PanelKind::Pattern, .pattern = {.head = "L0H1"}, .scale = "minmax"};
    const auto figure = figures::makeFigure(*m_session, {.columns = 2, .panels = {one, two}});
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
    QCOMPARE(failure(m_session->putPattern(ssm)), std::string());
    const auto shares = made({.kind = PanelKind::Pattern, .pattern = {.head = "L1H2"}, .scale = "row", .shares = true});
    const auto& map = std::get<widgets::PatternFigure>(shares.panels[0].content);
    QVERIFY(!map.data.isSigned);
    QCOMPARE(map.data.meaning,
             QStringLiteral("|hidden attention| ÷ row sum, with D")); // short enough to stand beside another
    float sum = 0;
    for (const float value : map.data.values->row(8))
        sum += value;
    QVERIFY(std::abs(sum - 1) < 1e-5F);
}

void TestFigures::headMapHasMarksAndCrosses()
{
    const auto figure = made({.kind = PanelKind::HeadMap, .off = "L2H5 keep:L0H1"});
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

void TestFigures::gridComparesWithTheBaseline()
{
    const auto figure = made({.kind = PanelKind::Scores, .view = "grid", .tasks = {"toy_mc"}, .ablations = {"L2H5"}});
    const auto& table = std::get<widgets::TableFigure>(figure.panels.at(0).content);
    QCOMPARE(table.rows.size(), 2U);
    QCOMPARE(table.rows[0][1].text, QStringLiteral("90.0"));
    QCOMPARE(table.rows[1][1].text, QString::fromUtf8("25.0 (−72.2 %)"));
    QVERIFY(table.rows[1][1].tone == widgets::TableCell::Tone::Bad);
}

void TestFigures::sameBytesInTwoProcesses_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("suffix");
    for (const char* suffix : {"pdf", "svg", "png", "csv"})
        QTest::newRow(suffix) << QStringLiteral("gather-aggregate-maps") << QString::fromUtf8(suffix);
    QTest::newRow("pdf of a chart") << QStringLiteral("kv-curve") << QStringLiteral("pdf");
}

void TestFigures::sameBytesInTwoProcesses()
{
    QFETCH(QString, name);
    QFETCH(QString, suffix);
    QByteArray bytes[2];
    for (int i = 0; i < 2; ++i) {
        const QString path = m_folder.filePath(QStringLiteral("%1-%2.%3").arg(name).arg(i).arg(suffix));
        run({QStringLiteral("figure"), session(), name, QStringLiteral("-o"), path});
        QFile file(path);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        bytes[i] = file.readAll();
        QVERIFY(bytes[i].size() > 300);
    }
    QVERIFY(bytes[0] == bytes[1]);
}

void TestFigures::commandStoresAndLists()
{
    run({QStringLiteral("figure"), session(), QStringLiteral("kv-curve"), QStringLiteral("--size"),
         QStringLiteral("column"), QStringLiteral("--title"), QStringLiteral("Mine"), QStringLiteral("--save"),
         QStringLiteral("my curve"), QStringLiteral("-o"), m_folder.filePath(QStringLiteral("c.svg"))});
    const QByteArray listed =
        run({QStringLiteral("figure"), session(), QStringLiteral("--list"), QStringLiteral("--json")});
    QVERIFY2(listed.contains("\"name\":\"my curve\""), listed.constData());
    const auto stored = findRecipe(*m_session, "my curve");
    VERIFY_OK(stored);
    QCOMPARE(stored->title, std::string("Mine"));
    QCOMPARE(stored->style.widthMm, 85.0);
    QProcess maps; // nothing there is chosen by model
    maps.start(qEnvironmentVariable("HEADSCOPE_CLI"),
               {QStringLiteral("figure"), session(), QStringLiteral("last-row"), QStringLiteral("--model"),
                QStringLiteral("m"), QStringLiteral("-o"), m_folder.filePath(QStringLiteral("m.svg"))});
    QVERIFY(maps.waitForFinished(120000));
    QCOMPARE(maps.exitCode(), 1);
    QVERIFY(maps.readAllStandardError().contains("shows no scores"));
    run({QStringLiteral("figure"), session(), QStringLiteral("my curve"), QStringLiteral("--remove")});
    QVERIFY(!findRecipe(*m_session, "my curve").has_value());
}

void TestFigures::aMapOf512TokensStaysSmall()
{
    sessions::PatternRecord large = pattern("L1H1", 512, 0.5F);
    for (std::size_t i = 0; i < large.values.values.size(); ++i) // no two cells alike: nothing to compress
        large.values.values[i] *= 1.0F + static_cast<float>((i * 7919) % 1009) / 1009.0F;
    VERIFY_OK(m_session->putPattern(large));
    const auto figure = made({.kind = PanelKind::Pattern, .pattern = {.head = "L1H1"}, .scale = "log"});
    for (const auto format : {widgets::FigureFormat::Pdf, widgets::FigureFormat::Svg}) {
        const auto bytes = widgets::renderFigure(figure, {}, format);
        VERIFY_OK(bytes);
        QVERIFY2(bytes->size() < 2'000'000, qPrintable(QString::number(bytes->size())));
    }
}

void TestFigures::anotherRuleOfScoringIsNamedAndNotPooled()
{
    auto session = sessions::SessionStore::open(m_folder.filePath(QStringLiteral("prefix.session")).toStdString());
    VERIFY_OK(session);
    VERIFY_OK(session->putModel(exampleModel()));
    VERIFY_OK(session->putTokenizer({exampleModel().tokenizerHash, "tokenizer.json", "here", 100}));
    const std::string prefix = "1.0 common-prefix";
    score(*session, "toy_mc", "", 18, prefix);
    score(*session, "toy_mc", "L2H5", 4, prefix);
    score(*session, "toy_mc", "L1H0", 7); // by the harness's rule, and without a baseline of its own
    const auto figure = makeFigure(*session, Recipe{.panels = {{.kind = PanelKind::Scores}}});
    VERIFY_OK(figure);
    QVERIFY2(figure->provenance.contains(QStringLiteral("(from the longest common prefix)")),
             qPrintable(figure->provenance));
    const QByteArray table = *widgets::figureText(*figure, widgets::FigureText::Markdown);
    QVERIFY2(table.contains("0.900") && table.contains("0.200"), table.constData());
    QVERIFY2(!table.contains("0.350"), table.constData());
}

void TestFigures::statesAreNamedInWords()
{
    const std::pair<const char*, const char*> states[] = {
        {"", "all heads on"},
        {"L1H2 L2H5", "without L1H2, L2H5"},
        {"L1H0-4", "5 heads ablated"},
        {"L2H5=mean", "L2H5 replaced by its mean"},
        {"keep:L1H3", "only L1H3 kept in layer 1"},
        {"upto:L2", "only layers 0 to 2"},
        {"skip:L2", "layer 2 skipped"},
        {"skip:L2.mlp", "MLP of layer 2 skipped"},
        {"lastrow:L2", "attention of layer 2 blocked from the last token"},
        {"lastrow:*", "attention of every layer blocked from the last token"},
        {"mask:L2H5[q=36,k=14]", "L2H5: token 36 may not read token 14"},
        {"L2H5 lastrow:L1", "without L2H5, attention of layer 1 blocked from the last token"}};
    for (const auto& [set, words] : states)
        QCOMPARE(stateName(interventions::InterventionSet::parse(set)->canonical()), QString::fromLatin1(words));
}

void TestFigures::textOfTables()
{
    const auto figure = made({.kind = PanelKind::Scores, .view = "grid", .tasks = {"toy_mc"}, .ablations = {"L2H5"}});
    const QByteArray latex = *widgets::figureText(figure, widgets::FigureText::Latex);
    for (const char* part : {"\\begin{tabular}{lr}", "\\toprule", "\\bottomrule", "25.0 ($-$72.2 \\%)"})
        QVERIFY2(latex.contains(part), latex.constData());
    const QByteArray markdown = *widgets::figureText(figure, widgets::FigureText::Markdown);
    QVERIFY2(markdown.contains("| state | MC (4 options) |\n| --- | ---: |\n"), markdown.constData());
    const QByteArray csv =
        *widgets::figureText(made({.kind = PanelKind::Curve, .ablations = {"L2H5"}}), widgets::FigureText::Csv);
    QVERIFY2(csv.contains("\r\nwithout L2H5,24,0.25,"), csv.constData());
}

void TestFigures::dotsAreNamedWhereThereIsRoom()
{
    widgets::Plot plot{.title = QStringLiteral("cost"), .xTitle = QStringLiteral("aggregate"), .joined = false};
    plot.remarks << QStringLiteral("rank correlation:");
    for (int s = 0; s < 4; ++s) {
        widgets::PlotSeries series{.name = QStringLiteral("model-number-%1").arg(s), .tone = {}, .points = {}};
        series.tone = static_cast<widgets::PlotSeries::Tone>(s);
        for (int i = 0; i < 32; ++i)
            series.points.push_back({std::sin(i * 1.7 + s), std::cos(i * 2.3 - s), std::pair(-9.0, 9.0),
                                     QStringLiteral("L%1H%2").arg(s * 4 + i / 8).arg(i % 8)});
        plot.remarks << series.name + QStringLiteral(" -0.18 [-0.50, +0.18]");
        plot.series.push_back(series);
    }
    widgets::Figure figure;
    figure.panels.push_back({{}, plot});
    for (const char* preset : {"column", "page", "slide"}) {
        const auto style = styleOf(*styleRecipe(preset));
        QCOMPARE(clash(figure, style), QString());
        const QSizeF size = widgets::figureSizeMm(figure, style) * 10;
        WatchedPage page(size.toSize());
        QPainter painter(&page);
        widgets::paintFigure(painter, figure, style, QRectF(QPointF(), size));
        painter.end();
        int names = 0;
        QStringList words;
        for (const auto& [text, place] : page.texts()) {
            names += text.startsWith(u'L') && text.contains(u'H') ? 1 : 0;
            words << text;
        }
        QVERIFY2(names > 20, qPrintable(QString::number(names)));
        for (const QString& remark : plot.remarks) // each whole
            QVERIFY2(words.contains(remark), qPrintable(remark));
        QVERIFY(!words.contains(QStringLiteral("10"))); // intervals are not drawn, and take no room
    }
    const auto csv = widgets::figureText(figure, widgets::FigureText::Csv);
    VERIFY_OK(csv);
    QVERIFY(csv->contains("line,name,aggregate,cost,low,high") && csv->contains("model-number-0,L0H0,")
            && csv->contains("-0.18 [-0.50, +0.18]"));
}

void TestFigures::wideTablesBreak_data()
{
    QTest::addColumn<int>("states");
    QTest::addColumn<int>("benchmarks");
    QTest::addColumn<QString>("preset");
    for (const int states : {1, 2, 12})
        for (const int benchmarks : {1, 6, 28})
            for (const char* preset : {"column", "page"})
                QTest::addRow("%d states, %d benchmarks, %s", states, benchmarks, preset)
                    << states << benchmarks << QString::fromLatin1(preset);
}

// Every number stands on the paper, under its name.
void TestFigures::wideTablesBreak()
{
    QFETCH(int, states);
    QFETCH(int, benchmarks);
    QFETCH(QString, preset);
    widgets::TableFigure table{.header = {QStringLiteral("model"), QStringLiteral("state")}, .rows = {}};
    for (int i = 0; i < benchmarks; ++i)
        table.header << QStringLiteral("a benchmark of rather many words %1").arg(i);
    for (int state = 0; state < states; ++state) {
        table.rows.push_back({{QStringLiteral("a-transformer-with-a-name")},
                              {QStringLiteral("only L1H%1 kept in layer 1, only L2H5 kept in layer 2").arg(state)}});
        for (int i = 0; i < benchmarks; ++i)
            table.rows.back().push_back({QStringLiteral("%1.%2 (−98.4 %)").arg(state).arg(i)});
    }
    widgets::Figure figure{.panels = {{QString(), table}}};
    const widgets::FigureStyle style = styleOf(*styleRecipe(preset.toStdString()));
    const QString wrong = clash(figure, style);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    const QStringList drawn = textsOf(figure, style);
    for (int state = 0; state < states; ++state)
        for (int i = 0; i < benchmarks; ++i)
            QVERIFY2(drawn.contains(QStringLiteral("%1.%2 (−98.4 %)").arg(state).arg(i)),
                     qPrintable(QStringLiteral("%1.%2").arg(state).arg(i)));
}

void TestFigures::manyBarsAreDots()
{
    widgets::BarFigure bars{.xTitle = QStringLiteral("accuracy"), .series = {}, .bars = {}};
    for (int state = 0; state < 4; ++state)
        bars.series << QStringLiteral("state %1").arg(state);
    const auto heightOf = [&](int groups) {
        bars.bars.clear();
        for (int i = 0; i < groups; ++i)
            bars.bars.push_back({QStringLiteral("benchmark %1").arg(i),
                                 {{0.9, 0.8, 1.0}, {0.1, 0.0, 0.2}, {0.5, 0.4, 0.6}, {0.7, 0.6, 0.8}}});
        const widgets::Figure figure{.panels = {{QString(), bars}}};
        return widgets::figureSizeMm(figure, styleOf(*styleRecipe("page"))).height();
    };
    const double few = heightOf(9), many = heightOf(28); // 36 bars, and 112
    QVERIFY2(many < few * 28 / 9 * 0.7, qPrintable(QStringLiteral("%1 and %2 mm").arg(few).arg(many)));
    QVERIFY(many < 230); // on a page

    // Twelve states stand apart: rows grow with them.
    widgets::BarFigure crowded = bars;
    for (int more = 4; more < 12; ++more) {
        crowded.series << QStringLiteral("state %1").arg(more);
        for (widgets::BarFigure::Bar& bar : crowded.bars)
            bar.values.push_back({0.9, 0.8, 1.0});
    }
    crowded.bars.resize(5);
    const widgets::Figure twelve{.panels = {{QString(), crowded}}};
    const double high = widgets::figureSizeMm(twelve, styleOf(*styleRecipe("page"))).height();
    QVERIFY2(high > 60, qPrintable(QString::number(high))); // mm; 60 dots, 40 mm before
    const widgets::Figure figure{.panels = {{QString(), bars}}};
    for (const char* preset : {"column", "page", "slide"})
        QCOMPARE(clash(figure, styleOf(*styleRecipe(preset))), QString());
}

void TestFigures::headMapsOfOneMetricShareTheirScale()
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
    TestFigures test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_figures.moc"
