// SPDX-License-Identifier: GPL-3.0-or-later
// Figures from sessions: recipes keep what they say, every kind is drawn without a model, and a re-made figure has the
// same bytes, in another process too.
#include "app/figures/paperfigures.h"
#include "app/figures/source.h"
#include "sessions/analyses.h"
#include "tests/support/figurefixture.h"
#include "tests/support/paintedtexts.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/figuretext.h"

#include <QHashFunctions>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::figures;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

class TestFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCOMPARE(m_fixture.open(), std::string()); }
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
    void guessingIsDrawnWhereOptionsAreOffered();
    void curveSaysWhatItLeavesOut();
    void choiceMakesOnePanelOfAllModels();
    void gridComparesWithTheBaseline();
    void sameBytesInTwoProcesses_data();
    void sameBytesInTwoProcesses();
    void composedFiguresKeepTheirParts();
    void composedOnTheCommandLine_data();
    void composedOnTheCommandLine();
    void badCompositionsAreOneSentence_data();
    void badCompositionsAreOneSentence();
    void commandStoresAndLists();
    void wideTablesBreak_data();
    void wideTablesBreak();
    void manyBarsAreDots();
    void textOfTables();
    void anotherRuleOfScoringIsNamedAndNotPooled();
    void aScoreThatWasMeasuredAgainReplacesTheFirst();
    void otherRowsOfATaskAreNamed();
    void statesOfTwoFoldersHaveTwoNames();
    void kindsOfDictionariesAreNamed();
    void aStoredRankingKeepsItsBenchmark();
    void statesAreNamedInWords();
    void noFigureNamesAFolder_data();
    void noFigureNamesAFolder();

private:
    QByteArray run(const QStringList& arguments, int expected = 0)
    {
        QProcess process;
        process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments);
        if (!process.waitForFinished(120000) || process.exitCode() != expected)
            qWarning("%s", process.readAllStandardError().constData());
        return process.readAllStandardOutput();
    }

    FigureFixture m_fixture;
    QTemporaryDir m_folder;
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
    add("one part", R"({"version":1,"parts":["a"],"panels":[{"kind":"row","part":1}]})", "2 to 4 parts, got 1");
    add("five parts", R"({"version":1,"parts":["","","","",""],"panels":[{"kind":"row","part":1}]})",
        "2 to 4 parts, got 5");
    add("a part without a panel", R"({"version":1,"parts":["",""],"panels":[{"kind":"row","part":1}]})",
        "Part 2 of the composed figure has no panel");
    add("a part that does not exist", R"({"version":1,"panels":[{"kind":"row","part":1}]})",
        "in part 1, which does not");
    add("a part left out",
        R"({"version":1,"parts":["",""],"panels":[{"kind":"row","part":1},{"kind":"row","part":3}]})", "in part 3");
    add("parts out of order",
        R"({"version":1,"parts":["",""],"panels":[{"kind":"row","part":2},{"kind":"row","part":1}]})", "in part 2");
    add("a panel beside the parts",
        R"({"version":1,"parts":["",""],"panels":[{"kind":"row"},{"kind":"row","part":1}]})", "in part 0");
    add("parts of numbers", R"({"version":1,"parts":[1,2],"panels":[{"kind":"row","part":1}]})", "list of strings");
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
    const auto recipe = findRecipe(m_fixture.session(), name.toStdString());
    VERIFY_OK(recipe);
    // What is stored is the recipe's text: it must draw the same.
    const auto figure = makeFigure(m_fixture.session(), *parseRecipe(recipeText(*recipe)));
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
    const auto figure = m_fixture.made({.kind = PanelKind::Dots, .x = "aggregate", .y = "cost"});
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
    const auto byMagnitude =
        m_fixture.made({.kind = PanelKind::Dots, .x = "aggregate", .y = "cost", .logX = true, .logY = true});
    const auto& magnitudes = std::get<widgets::Plot>(byMagnitude.panels.front().content);
    QCOMPARE(magnitudes.series[0].points.size(), std::size_t{2});
    QVERIFY(magnitudes.remarks.join(QString()).contains(QStringLiteral("heads not drawn, at or below 0: 1")));
    QVERIFY(magnitudes.remarks.join(QString()).contains(QStringLiteral("+1.00")));
    const QStringList texts = textsOf(byMagnitude, styleOf(*styleRecipe("page")));
    QVERIFY2(texts.contains(QStringLiteral("0.5")), qPrintable(texts.join(u'|'))); // between 0.2 and 0.7
    QCOMPARE(clash(byMagnitude, styleOf(*styleRecipe("page"))), QString());
    QVERIFY(m_fixture.made({.kind = PanelKind::Dots, .x = "induction"})
                .title.contains(QStringLiteral("no metric 'induction'")));
}

void TestFigures::dotsHoldWhatNextTokensLose()
{
    const PanelRecipe panel{.kind = PanelKind::Dots, .x = "cost", .y = "loss_continued"};
    QVERIFY(m_fixture.made(panel).title.contains(QStringLiteral("no losses of next tokens")));
    sessions::AnalysisRecord record{.key = {exampleModel().hash, "removal", "fp32", "cpu", "", R"({"texts":"a"})"},
                                    .source = "next tokens of stories",
                                    .summary = "s"};
    record.values = {
        {.part = "L2H5", .measure = "loss rise", .value = 0.5, .low = 0.25, .high = 0.75, .words = "continued"},
        {.part = "L2H5", .measure = "loss rise", .value = 0.125, .words = "all"}};
    VERIFY_OK(sessions::putAnalysis(m_fixture.session(), record));
    record.key.questionJson = R"({"task":"toy_kv"})"; // of a benchmark, and newer
    record.values = {{.part = "L2H5", .measure = "cost", .value = 1, .words = "toy_kv"}};
    VERIFY_OK(sessions::putAnalysis(m_fixture.session(), record));
    const auto figure = m_fixture.made(panel);
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
    QVERIFY(m_fixture.made({.kind = PanelKind::Pattern, .pattern = {.head = "L9H9"}})
                .title.contains(QStringLiteral("no pattern of L9H9")));
    QVERIFY(m_fixture
                .made({.kind = PanelKind::Row,
                       .pattern = {.head = "L2H5", .prompt = {}, .convention = "softmax attention (rows sum to 1)"},
                       .row = 99})
                .title.contains(QStringLiteral("no row 99")));
}

void TestFigures::curveHoldsTheMeasuredNumbers()
{
    const auto figure = m_fixture.made({.kind = PanelKind::Curve, .ablations = {"L2H5"}});
    QCOMPARE(figure.panels.size(), 1U);
    const auto& chart = std::get<widgets::ChartFigure>(figure.panels[0].content);
    QCOMPARE(chart.curves.size(), 2U); // baseline, without L2H5; the task offers no options, so there is no guessing
    QCOMPARE(chart.curves[0].points.size(), 4U);
    QCOMPARE(chart.curves[0].points[3].x, 24.0);
    QCOMPARE(chart.curves[0].points[3].y.value, 18.0 / kRows);
    QCOMPARE(chart.curves[1].name, QStringLiteral("without L2H5"));
    QCOMPARE(chart.curves[1].points[3].y.value, 5.0 / kRows);
    QVERIFY(chart.curves[1].points[3].y.low < 5.0 / kRows && chart.curves[1].points[3].y.high > 5.0 / kRows);
}

void TestFigures::guessingIsDrawnWhereOptionsAreOffered()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    for (const char* task : {"kv_retrieval:pairs=4", "kv_retrieval:pairs=16"})
        score(fixture.session(), task, "", 10);
    for (const auto& [task, guessing] : {std::pair("toy_kv:pairs=", false), std::pair("kv_retrieval:pairs=", true)}) {
        const auto figure = fixture.made({.kind = PanelKind::Curve, .tasks = {task}});
        const auto& curves = std::get<widgets::ChartFigure>(figure.panels.at(0).content).curves;
        QCOMPARE(curves.back().style == widgets::ChartCurve::Style::Dotted, guessing);
        if (guessing)
            QCOMPARE(curves.back().points[0].y.value, 0.25); // one of four pairs
    }
}

void TestFigures::curveSaysWhatItLeavesOut()
{
    const auto all = m_fixture.made({.kind = PanelKind::Curve, .lines = 12});
    const auto& every = std::get<widgets::ChartFigure>(all.panels[0].content);
    QVERIFY(every.curves.size() >= 2);
    QVERIFY2(all.caption.isEmpty(), qPrintable(all.caption));
    const auto one = m_fixture.made({.kind = PanelKind::Curve, .lines = 1});
    const auto& first = std::get<widgets::ChartFigure>(one.panels[0].content);
    QCOMPARE(first.curves.size(), 1U); // the baseline
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

void TestFigures::gridComparesWithTheBaseline()
{
    const auto figure =
        m_fixture.made({.kind = PanelKind::Scores, .view = "grid", .tasks = {"toy_mc"}, .ablations = {"L2H5"}});
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
        run({QStringLiteral("figure"), m_fixture.file(), name, QStringLiteral("-o"), path});
        QFile file(path);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        bytes[i] = file.readAll();
        QVERIFY(bytes[i].size() > 300);
    }
    QVERIFY(bytes[0] == bytes[1]);
}

void TestFigures::composedFiguresKeepTheirParts()
{
    const auto maps = findRecipe(m_fixture.session(), "gather-aggregate-maps");
    const auto scores = findRecipe(m_fixture.session(), "scores");
    VERIFY_OK(maps);
    VERIFY_OK(scores);
    Recipe board = *scores;
    board.caption = "Each benchmark before and after.";
    const auto composed = compose({board, *maps, board});
    VERIFY_OK(composed);
    QCOMPARE(composed->parts, (std::vector<std::string>{scores->title, maps->title, scores->title}));
    QCOMPARE(composed->caption, std::string("a: Each benchmark before and after. c: Each benchmark before and after."));
    QVERIFY(*parseRecipe(recipeText(*composed)) == *composed);
    const auto figure = makeFigure(m_fixture.session(), *composed);
    VERIFY_OK(figure);
    QCOMPARE(figure->parts.size(), 3);
    std::vector<int> parts;
    for (const widgets::FigurePanel& panel : figure->panels)
        parts.push_back(panel.part);
    QCOMPARE(parts, (std::vector<int>{1, 2, 2, 3}));
    // What a part adds to the caption names it.
    QVERIFY2(figure->caption.contains(QStringLiteral("b: Prompt: “red Paris blue Oslo : red”. Answer: “t2”.")),
             qPrintable(figure->caption));
    for (const char* preset : {"column", "page", "slide"})
        QCOMPARE(clash(*figure, styleOf(*styleRecipe(preset))), QString());
    // A composed figure is one part of another.
    const auto again = compose({*composed, board});
    VERIFY_OK(again);
    QCOMPARE(again->parts.size(), std::size_t{2});
    QCOMPARE(again->panels.back().part, 2);
}

void TestFigures::composedOnTheCommandLine_data()
{
    QTest::addColumn<QString>("suffix");
    for (const char* suffix : {"pdf", "svg", "png", "csv"})
        QTest::newRow(suffix) << QString::fromUtf8(suffix);
}

// What the window's dialog composes and writes, the command line does: the same bytes, again from the stored recipe.
void TestFigures::composedOnTheCommandLine()
{
    QFETCH(const QString, suffix);
    const auto recipe = findComposed(m_fixture.session(), {"gather-aggregate-maps", "kv-curve", "head-map", "scores"});
    VERIFY_OK(recipe);
    const auto figure = makeFigure(m_fixture.session(), *recipe);
    VERIFY_OK(figure);
    const auto bytes = [](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QString here = m_folder.filePath(QStringLiteral("here.") + suffix),
                  there = m_folder.filePath(QStringLiteral("there.") + suffix),
                  again = m_folder.filePath(QStringLiteral("again.") + suffix);
    VERIFY_OK(widgets::writeFigure(*figure, styleOf(recipe->style), here));
    run({QStringLiteral("figure"), m_fixture.file(), QStringLiteral("--panels"),
         QStringLiteral("gather-aggregate-maps,kv-curve"), QStringLiteral("--panels"),
         QStringLiteral("head-map,scores"), QStringLiteral("--save"), QStringLiteral("composed ") + suffix,
         QStringLiteral("-o"), there});
    run({QStringLiteral("figure"), m_fixture.file(), QStringLiteral("composed ") + suffix, QStringLiteral("-o"),
         again});
    QVERIFY(bytes(here).size() > 1000);
    QVERIFY(bytes(here) == bytes(there));
    QVERIFY(bytes(here) == bytes(again));
}

void TestFigures::badCompositionsAreOneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("said");
    const QString panels = QStringLiteral("--panels");
    QTest::newRow("unknown")
        << QStringList{panels, QStringLiteral("scores,heatmaps")} << 1
        << QStringLiteral(
               "The session has no figure 'heatmaps' (did you mean 'head-map'?); --list prints their names.");
    QTest::newRow("one") << QStringList{panels, QStringLiteral("scores")} << 1
                         << QStringLiteral("A composed figure has 2 to 4 parts, got 1.");
    QTest::newRow("five") << QStringList{panels, QStringLiteral("scores,scores,scores,scores,scores")} << 1
                          << QStringLiteral("A composed figure has 2 to 4 parts, got 5.");
    QTest::newRow("none") << QStringList{panels, QString()} << 2 << panels;
    QTest::newRow("beside a name") << QStringList{QStringLiteral("scores"), panels, QStringLiteral("scores,head-map")}
                                   << 2 << QStringLiteral("NAME excludes --panels");
    QTest::newRow("not measured") << QStringList{panels, QStringLiteral("scores,patching")} << 1
                                  << QStringLiteral("no patching of tiny-transformer");
}

void TestFigures::badCompositionsAreOneSentence()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, code);
    QFETCH(const QString, said);
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"),
                  QStringList{QStringLiteral("figure"), m_fixture.file()} + arguments
                      + QStringList{QStringLiteral("-o"), m_folder.filePath(QStringLiteral("bad.svg"))});
    QVERIFY(process.waitForFinished(120000));
    const QString error = QString::fromUtf8(process.readAllStandardError());
    QCOMPARE(process.exitCode(), code);
    QVERIFY2(error.contains(said), qPrintable(error));
    QVERIFY2(code == 2 || error.trimmed().count(u'\n') == 0, qPrintable(error));
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("bad.svg"))));
}

void TestFigures::commandStoresAndLists()
{
    run({QStringLiteral("figure"), m_fixture.file(), QStringLiteral("kv-curve"), QStringLiteral("--size"),
         QStringLiteral("column"), QStringLiteral("--title"), QStringLiteral("Mine"), QStringLiteral("--save"),
         QStringLiteral("my curve"), QStringLiteral("-o"), m_folder.filePath(QStringLiteral("c.svg"))});
    const QByteArray listed =
        run({QStringLiteral("figure"), m_fixture.file(), QStringLiteral("--list"), QStringLiteral("--json")});
    QVERIFY2(listed.contains("\"name\":\"my curve\""), listed.constData());
    const auto stored = findRecipe(m_fixture.session(), "my curve");
    VERIFY_OK(stored);
    QCOMPARE(stored->title, std::string("Mine"));
    QCOMPARE(stored->style.widthMm, 85.0);
    QProcess maps; // nothing there is chosen by model
    maps.start(qEnvironmentVariable("HEADSCOPE_CLI"),
               {QStringLiteral("figure"), m_fixture.file(), QStringLiteral("last-row"), QStringLiteral("--model"),
                QStringLiteral("m"), QStringLiteral("-o"), m_folder.filePath(QStringLiteral("m.svg"))});
    QVERIFY(maps.waitForFinished(120000));
    QCOMPARE(maps.exitCode(), 1);
    QVERIFY(maps.readAllStandardError().contains("shows no scores"));
    run({QStringLiteral("figure"), m_fixture.file(), QStringLiteral("my curve"), QStringLiteral("--remove")});
    QVERIFY(!findRecipe(m_fixture.session(), "my curve").has_value());
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

// A file that a state names was written anew: the state is the same, and its inputs are others.
void TestFigures::aScoreThatWasMeasuredAgainReplacesTheFirst()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    sessions::SessionStore& session = fixture.session();
    const std::string state = "steer:L1*8=v.safetensors[vector]";
    const auto inputs = [](const char* words) { return [words](sessions::SeriesKey& key) { key.inputs = words; }; };
    score(session, "toy_mc", state, 17, {}, inputs("over=b"));
    const PanelRecipe panel{.kind = PanelKind::Scores, .tasks = {"toy_mc"}, .ablations = {state}};
    const auto once = fixture.made(panel);
    QCOMPARE(std::get<widgets::TableFigure>(once.panels.at(0).content).rows.at(0).at(2).text, u"0.850"_s);
    QVERIFY2(once.caption.isEmpty(), qPrintable(once.caption));
    score(session, "toy_mc", state, 0, {}, inputs("over=a"));
    const auto again = fixture.made(panel);
    const auto& row = std::get<widgets::TableFigure>(again.panels.at(0).content).rows.at(0);
    QCOMPARE(row.at(1).text, u"0.900"_s);
    QCOMPARE(row.at(2).text, u"0.000"_s);
    QCOMPARE(again.caption, u"Not drawn: MC (4 options) with other inputs."_s);
    // A baseline of other conditions is preferred by now, and is not the one that the state is compared with.
    score(session, "toy_mc", "", 12, {}, inputs("bos=always"));
    const auto mixed = fixture.made(panel);
    QCOMPARE(std::get<widgets::TableFigure>(mixed.panels.at(0).content).rows.at(0).at(1).text, u"0.900"_s);
}

// Two files of one name are two benchmarks, of which one can be drawn.
void TestFigures::otherRowsOfATaskAreNamed()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    const auto rows = [](const char* source) { return [source](sessions::SeriesKey& key) { key.rowSource = source; }; };
    score(fixture.session(), "my", "", 12, {}, rows("one"));
    const PanelRecipe panel{.kind = PanelKind::Scores, .tasks = {"my"}};
    QVERIFY(fixture.made(panel).caption.isEmpty());
    score(fixture.session(), "my", "", 9, {}, rows("two"));
    const auto figure = fixture.made(panel);
    QCOMPARE(figure.caption, u"Not drawn: my on other rows or by other rules."_s);
    const auto& table = std::get<widgets::TableFigure>(figure.panels.at(0).content);
    QCOMPARE(table.rows.size(), std::size_t{1});
    QCOMPARE(table.rows[0].at(1).text, u"0.450"_s); // the later one
    QVERIFY(fixture.made({.kind = PanelKind::Scores, .tasks = {"toy_mc"}}).caption.isEmpty());
}

void TestFigures::statesOfTwoFoldersHaveTwoNames()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    const std::string one = "steer:L1*8=/tmp/s1/v.safetensors[vector]",
                      two = "steer:L1*8=/tmp/s2/v.safetensors[vector]";
    score(fixture.session(), "toy_mc", two, 0);
    score(fixture.session(), "toy_mc", one, 18);
    const auto figure =
        fixture.made({.kind = PanelKind::Scores, .view = "grid", .tasks = {"toy_mc"}, .ablations = {two, one}});
    const auto& table = std::get<widgets::TableFigure>(figure.panels.at(0).content);
    QCOMPARE(table.rows.size(), std::size_t{3});
    QCOMPARE(table.rows[1].at(1).text.left(3), u"0.0"_s);
    QCOMPARE(table.rows[1].at(0).text, table.rows[2].at(0).text + u" (2)"_s);
    QVERIFY2(figure.provenance.contains(u"steer:L1*8=v.safetensors[vector] (2)"_s)
                 && figure.provenance.contains(u"steer:L1*8=v.safetensors[vector])"_s),
             qPrintable(figure.provenance));
}

void TestFigures::kindsOfDictionariesAreNamed()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    const PanelRecipe panel{.kind = PanelKind::Scores, .view = "grid"};
    const auto alone = fixture.made(panel);
    QVERIFY(std::get<widgets::TableFigure>(alone.panels.at(0).content).header.contains(u"KV retrieval, 4 pairs"_s));
    for (const char* task : {"word_kv:pairs=4", "word_kv:pairs=8", "word_kv_plain:pairs=4"})
        score(fixture.session(), task, "", 9);
    const auto figure = fixture.made(panel);
    const auto& header = std::get<widgets::TableFigure>(figure.panels.at(0).content).header;
    for (const char* kind : {"toy_kv", "word_kv", "word_kv_plain"}) {
        const QString title = u"KV retrieval, 4 pairs (%1)"_s.arg(QLatin1String(kind));
        QCOMPARE(header.count(title), 1);
        QVERIFY2(figure.provenance.contains(title), qPrintable(figure.provenance));
    }
    const auto curve = fixture.made({.kind = PanelKind::Curve, .lines = 12});
    const auto& curves = std::get<widgets::ChartFigure>(curve.panels.at(0).content).curves;
    QCOMPARE(curves.at(0).name, u"all heads on (toy_kv)"_s);
    QVERIFY(std::ranges::find(curves, u"all heads on (word_kv)"_s, &widgets::ChartCurve::name) != curves.end());
}

// A recipe names its benchmark whole; another's name may begin with it.
void TestFigures::aStoredRankingKeepsItsBenchmark()
{
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    sessions::RankingRecord ranking{.modelHash = exampleModel().hash,
                                    .dtype = "fp32",
                                    .device = "cpu",
                                    .task = "toy_kv:pairs=2",
                                    .method = "exact",
                                    .n = 20,
                                    .heads = {{"L2H5", 0.5, -0.5, -0.6, -0.4}}};
    VERIFY_OK(fixture.session().addRanking(ranking));
    ranking.task = "toy_kv:pairs=24"; // newer, and of more heads
    ranking.heads = {{"L2H5", 0, -1, -1, -0.9}, {"L0H1", 1, 0, 0, 0}};
    VERIFY_OK(fixture.session().addRanking(ranking));
    // One of a model with something ablated is no ranking of the model, unless there is no other.
    VERIFY_OK(fixture.session().putAblation("L1H0"));
    ranking.ablation = "L1H0";
    ranking.heads.front().delta = -0.25;
    VERIFY_OK(fixture.session().addRanking(ranking));
    ranking.task = "toy_kv:pairs=48";
    VERIFY_OK(fixture.session().addRanking(ranking));
    const auto ablated = fixture.made({.kind = PanelKind::Ranking, .tasks = {ranking.task}});
    QVERIFY2(ablated.provenance.contains(u"ablated: L1H0"), qPrintable(ablated.provenance));
    for (const auto& [task, loss] : {std::pair("toy_kv:pairs=2", 0.5), std::pair("toy_kv:pairs=24", 1.0)}) {
        const auto figure = fixture.made({.kind = PanelKind::Ranking, .tasks = {task}});
        QCOMPARE(std::get<widgets::BarFigure>(figure.panels.at(0).content).bars.at(0).values.at(0).value, loss);
        QVERIFY(figure.provenance.contains(QString::fromLatin1(task) + u',')); // and then how many examples
    }
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

void TestFigures::noFigureNamesAFolder_data()
{
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("name");
    const QString folder = u"/home/ada/private-study.v2-new"_s;
    QTest::newRow("a vector") << u"steer:L1*2="_s + folder + u"/calm.safetensors[happy]"_s
                              << u"calm.safetensors[happy]"_s;
    QTest::newRow("two lists") << u"steer:L1="_s + folder + u"/HAPPY.txt-"_s + folder + u"/SAD.txt"_s
                               << u"HAPPY.txt-SAD.txt"_s;
    QTest::newRow("lists of two folders")
        << u"steer:L1="_s + folder + u"/HAPPY.txt-/srv"_s + folder + u"/SAD.txt"_s << u"HAPPY.txt-SAD.txt"_s;
    QTest::newRow("a relative path") << u"steer:L1=private-study.v2-new/a-b.txt-private-study.v2-new/c.txt"_s
                                     << u"a-b.txt-c.txt"_s;
    QTest::newRow("another model") << u"swap:L1="_s + folder + u"/tiny/"_s << u"tiny"_s;
    QTest::newRow("beside heads") << u"L2H5 steer:L1*-0.5="_s + folder + u"/calm.npz[x]"_s << u"calm.npz[x]"_s;
}

// Whatever is drawn of a state that was read from a file, its folder is in no title, caption, cell or source.
void TestFigures::noFigureNamesAFolder()
{
    QFETCH(QString, state);
    QFETCH(QString, name);
    FigureFixture fixture;
    QCOMPARE(fixture.open(), std::string());
    sessions::SessionStore& session = fixture.session();
    const std::string set = interventions::InterventionSet::parse(state.toStdString())->canonical();
    for (const char* task : {"toy_kv:pairs=4", "toy_kv:pairs=16", "toy_kv:pairs=24", "toy_mc"})
        score(session, task, set, 7);
    sessions::PatternRecord map = pattern("L2H5", 9, 0.8F);
    map.ablation = set;
    VERIFY_OK(session.putPattern(map));
    sessions::RankingRecord ranking{.modelHash = exampleModel().hash,
                                    .dtype = "fp32",
                                    .device = "cpu",
                                    .task = "toy_kv:pairs=8",
                                    .method = "exact",
                                    .ablation = set,
                                    .n = 20,
                                    .heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92},
                                              {"L0H1", 0.5, -0.5, -0.6, -0.4},
                                              {"L1H0", 0.98, 0, -0.01, 0.01}}};
    VERIFY_OK(session.addRanking(ranking));
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [kind, measure] :
         {std::pair("lens", "probability"), std::pair("patching", "share"), std::pair("attribution", "adds"),
          std::pair("edges", "share"), std::pair("knockout", "logit difference"), std::pair("probe", "induction"),
          std::pair("weights", "copying"), std::pair("compare", "ov"), std::pair("series", "series")}) {
        sessions::AnalysisRecord analysis{.key = {exampleModel().hash, kind, "fp32", "cpu", set, "{}"},
                                          .source = "/home/ada/private-study.v2-new/pairs.jsonl, sample 3",
                                          .summary = "What it says."};
        for (const char* part : {"L0H1", "L2H5"})
            analysis.values.push_back({.part = std::string(kind) == "lens"       ? "L1"
                                               : std::string(kind) == "knockout" ? "L0-1"
                                                                                 : part,
                                       .receiver = std::string(kind) == "edges" ? "L2H5.q" : "",
                                       .position = std::string(kind) == "lens" ? 3 : -1,
                                       .measure = measure,
                                       .value = 0.5,
                                       .words = "17"});
        for (const auto& [part, words] : {std::pair("clean", "one fox"), std::pair("corrupt", "one cat"),
                                          std::pair("answer", "17"), std::pair("distractor", "42")})
            analysis.values.push_back({.part = part, .position = 0, .measure = "pair", .value = none, .words = words});
        VERIFY_OK(sessions::putAnalysis(session, analysis));
    }
    std::vector<Recipe> recipes;
    const auto paper = paperFigures(session);
    VERIFY_OK(paper);
    for (const PaperFigure& figure : *paper)
        if (figure.recipe.has_value())
            recipes.push_back(*figure.recipe);
    QVERIFY(recipes.size() > 12);
    const auto panel = [&](PanelKind kind, const auto& change) {
        PanelRecipe made{.kind = kind};
        made.ablations = {set};
        change(made);
        recipes.push_back({.panels = {made}});
    };
    for (const char* view : {"", "bars", "grid"})
        panel(PanelKind::Scores, [&](PanelRecipe& one) { one.view = view; });
    panel(PanelKind::Curve, [](PanelRecipe&) {});
    panel(PanelKind::HeadMap, [](PanelRecipe&) {});
    panel(PanelKind::Ranking, [](PanelRecipe&) {});
    panel(PanelKind::Pattern, [&](PanelRecipe& one) { one.pattern = {.head = "L2H5", .ablation = set}; });
    panel(PanelKind::Pattern, [&](PanelRecipe& one) {
        one.pattern = {.head = "L2H5"};
        one.minus = PatternRef{.head = "L2H5", .ablation = set};
    });
    panel(PanelKind::Row, [&](PanelRecipe& one) { one.pattern = {.head = "L2H5", .ablation = set}; });
    for (const char* kind : {"lens", "patching", "attribution", "edges", "knockout", "series"})
        panel(PanelKind::Analysis, [&](PanelRecipe& one) { one.analysis = kind; });
    int named = 0;
    for (const Recipe& recipe : recipes) {
        const auto figure = makeFigure(session, recipe);
        VERIFY_OK(figure);
        QStringList texts{figure->title, figure->caption, figure->provenance};
        for (const auto& each : figure->panels)
            texts << each.heading;
        for (const auto& [text, place] : paintedTexts(*figure, styleOf(recipe.style)))
            texts << text;
        for (const auto format : {widgets::FigureText::Csv, widgets::FigureText::Latex, widgets::FigureText::Markdown})
            if (const auto text = widgets::figureText(*figure, format); text.has_value())
                texts << QString::fromUtf8(*text);
        const QString all = texts.join(u'\n');
        QVERIFY2(!all.contains(u"private"_s) && !all.contains(u"study"_s) && !all.contains(u"ada"_s), qPrintable(all));
        named += all.contains(name) ? 1 : 0;
        const bool pair = std::ranges::any_of(recipe.panels, [](const PanelRecipe& one) {
            return one.analysis == "patching" || one.analysis == "edges";
        });
        QVERIFY2(!pair
                     || (figure->caption.contains(u"one fox"_s) && figure->caption.contains(u"one cat"_s)
                         && figure->caption.contains(u"“17” against “42”"_s)),
                 qPrintable(figure->caption));
    }
    QVERIFY(named > 8);
}

void TestFigures::textOfTables()
{
    const auto figure =
        m_fixture.made({.kind = PanelKind::Scores, .view = "grid", .tasks = {"toy_mc"}, .ablations = {"L2H5"}});
    const QByteArray latex = *widgets::figureText(figure, widgets::FigureText::Latex);
    for (const char* part : {"\\begin{tabular}{lr}", "\\toprule", "\\bottomrule", "25.0 ($-$72.2 \\%)"})
        QVERIFY2(latex.contains(part), latex.constData());
    const QByteArray markdown = *widgets::figureText(figure, widgets::FigureText::Markdown);
    QVERIFY2(markdown.contains("| state | MC (4 options) |\n| --- | ---: |\n"), markdown.constData());
    const QByteArray csv = *widgets::figureText(m_fixture.made({.kind = PanelKind::Curve, .ablations = {"L2H5"}}),
                                                widgets::FigureText::Csv);
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

int main(int argc, char** argv)
{
    QHashSeed::setDeterministicGlobalSeed();
    QGuiApplication application(argc, argv);
    TestFigures test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_figures.moc"
