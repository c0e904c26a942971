// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of analyses from a session, without a model: the lens as words, patches by token, parts, edges as a circuit,
// knockout by layer; what is drawn is what was stored, and stays when another analysis comes.
#include "app/figures/documents/sessionfigure.h"
#include "app/figures/figurerecipe.h"
#include "app/figures/paperfigures.h"
#include "sessions/analyses.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/figuretext.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::figures;
using namespace headscope::testing;
using namespace Qt::StringLiterals;
using sessions::AnalysisRecord;
using sessions::AnalysisValue;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

sessions::ModelRecord hybrid()
{
    sessions::ModelRecord model = exampleModel();
    model.headsJson =
        R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8},{"kind":"mamba2","heads":4}]])";
    return model;
}

AnalysisRecord record(const char* kind, std::vector<AnalysisValue> values, const char* question = "{}")
{
    return {.key = {hybrid().hash, kind, "fp32", "cpu", "", question},
            .source = "toy_kv:pairs=8, sample 3",
            .summary = "What it says.",
            .values = std::move(values)};
}

/// Thirty tokens, the answer on top from layer 2 on at the last.
AnalysisRecord lens()
{
    std::vector<AnalysisValue> values;
    for (int layer = 0; layer < 4; ++layer)
        for (int position = 0; position < 30; ++position) {
            const bool answer = layer >= 2 && position == 29;
            values.push_back({.part = "L" + std::to_string(layer),
                              .position = position,
                              .measure = "probability",
                              .value = answer ? 0.75 : 0.25,
                              .words = answer ? "17" : "42"});
        }
    for (int position = 0; position < 30; ++position)
        values.push_back({.part = "prompt",
                          .position = position,
                          .measure = "token",
                          .value = kNone,
                          .words = position == 28 ? "\n" : "fox"});
    // Somebody else's file may speak of any layer and place.
    values.push_back({.part = "L999999999", .position = 3, .measure = "probability", .value = 1, .words = "x"});
    return record("lens", std::move(values));
}

AnalysisRecord edges()
{
    std::vector<AnalysisValue> values;
    const auto add = [&values](const char* from, const char* to, double share, double change) {
        values.push_back(
            {.part = from, .receiver = to, .measure = "share", .value = share, .low = kNone, .high = kNone});
        values.push_back({.part = from, .receiver = to, .measure = "change of the logit difference", .value = change});
    };
    add("embed", "L2A5.q", 0.01, 0.1);
    add("L1H2", "L2A5.k", 0.8, 12);
    add("L0.mlp", "L2A5.v", -0.3, -4);
    add("L2A5", "L2.mlp", 0.2, 3);
    add("L2S1", "logits", kNone, 0);
    return record("edges", std::move(values), R"({"part":"L2A5"})");
}

} // namespace

class TestAnalysisFigures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void theLensIsWordsByTokenAndLayer();
    void edgesAreACircuit();
    void weakEdgesAreDrawnWhereThereAreNoOthers();
    void patchesByTokenAreAGrid();
    void aRowOfAllHeadsIsAGrid();
    void patchedHeadsAreAMap();
    void partsEndInTheirSum();
    void aKnockoutIsALineBelowNothing();
    void probesAndCopyingAreMaps();
    void changedHeadsAreDotsAndAMap();
    void aComparisonOfWeightsAloneNeedsNoPrompts();
    void aSeriesIsALineOverTheSteps();
    void aFigureStaysWhenAnotherAnalysisComes();
    void whatIsNotThereIsASentence();
    void isDrawnInEveryForm_data();
    void isDrawnInEveryForm();

private:
    void put(const AnalysisRecord& analysis)
    {
        if (const auto done = sessions::putAnalysis(*m_session, analysis); !done.has_value())
            qFatal("%s", done.error().message.c_str());
    }
    /// The content of the named figure's only panel.
    widgets::Figure made(const std::string& name)
    {
        const auto recipe = findRecipe(*m_session, name);
        if (!recipe.has_value())
            return {.title = QString::fromStdString(recipe.error().message)};
        const auto again = parseRecipe(recipeText(*recipe)); // what a session keeps of it
        const auto figure = makeFigure(*m_session, again.has_value() ? *again : Recipe());
        return figure.has_value() ? *figure : widgets::Figure{.title = QString::fromStdString(figure.error().message)};
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<sessions::SessionStore> m_session;
};

void TestAnalysisFigures::init()
{
    m_session.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    auto opened = sessions::SessionStore::open(m_folder->filePath(u"a.session"_s).toStdString());
    VERIFY_OK(opened);
    m_session.emplace(std::move(*opened));
    VERIFY_OK(m_session->putModel(hybrid()));
}

void TestAnalysisFigures::theLensIsWordsByTokenAndLayer()
{
    put(lens());
    const widgets::Figure figure = made("lens");
    QCOMPARE(figure.panels.size(), 1U);
    QVERIFY2(figure.caption.startsWith(u"What it says. The deeper the blue"_s)
                 && figure.caption.contains(u"first 6 tokens"_s),
             qPrintable(figure.caption));
    QVERIFY2(figure.provenance.contains(u"lens of toy_kv:pairs=8, sample 3"_s), qPrintable(figure.provenance));
    const auto& grid = std::get<widgets::Plot>(figure.panels[0].content).grid;
    QCOMPARE(grid.columns, (QStringList{u"L0"_s, u"L1"_s, u"L2"_s, u"output"_s}));
    QCOMPARE(grid.rows.size(), 24);
    QCOMPARE(grid.rows.last(), u"fox 29"_s);
    QCOMPARE(grid.rows.at(22), u"⏎ 28"_s);
    QCOMPARE(grid.words.last(), u"17"_s);
    QCOMPARE(grid.values.back(), 0.75);
    QCOMPARE(grid.words.at(grid.words.size() - 4), u"42"_s); // the same token, layer 0
    QCOMPARE(grid.most, 1.0);
}

void TestAnalysisFigures::edgesAreACircuit()
{
    put(edges());
    const widgets::Figure figure = made("edges");
    const auto& circuit = std::get<widgets::EdgeFigure>(figure.panels.at(0).content);
    const widgets::EdgeData& data = circuit.data;
    QCOMPARE(data.rows, (QStringList{u""_s, u"L0"_s, u"L1"_s, u"L2"_s, u""_s}));
    QCOMPARE(data.cells, (std::vector<int>{0, 9, 8, 13, 0})); // an MLP has a cell where one is seen
    QCOMPARE(data.parts[static_cast<std::size_t>(data.asked)].name, u"L2A5"_s);
    QCOMPARE(data.edges.size(), 5U);
    QCOMPARE(circuit.threshold, 0.05);
    QCOMPARE(data.sender(data.edges[0]) + u'>' + data.receiver(data.edges[0]), u"L1H2>L2A5.k"_s);
    QCOMPARE(data.edges[0].change, 12.0);
    QVERIFY(!data.edges[0].hasInterval());
    QCOMPARE(data.receiver(data.edges[2]), u"L2.mlp"_s); // a part, no door
    const auto part = [&data](const char* name) {
        return *std::ranges::find(data.parts, QString::fromLatin1(name), &widgets::GraphPart::name);
    };
    QCOMPARE(part("L2A5").row, 3);
    QCOMPARE(part("L2S1").column, 9); // behind the attention heads
    QCOMPARE(part("embed").row, 0);
    QCOMPARE(part("logits").row, 4);
    QCOMPARE(part("L0.mlp").column, 8);
}

// No edge goes far alone: the strongest are drawn all the same.
void TestAnalysisFigures::weakEdgesAreDrawnWhereThereAreNoOthers()
{
    AnalysisRecord weak = edges();
    for (AnalysisValue& value : weak.values)
        value.value /= 100;
    put(weak);
    const widgets::Figure figure = made("edges");
    QVERIFY(std::abs(std::get<widgets::EdgeFigure>(figure.panels.at(0).content).threshold - 0.004) < 1e-9);
}

void TestAnalysisFigures::patchesByTokenAreAGrid()
{
    std::vector<AnalysisValue> values;
    for (const char* part : {"L0", "L1", "L2"})
        for (int position = 0; position < 40; ++position)
            values.push_back({.part = part,
                              .position = position,
                              .measure = "share",
                              .value = position == 7                      ? 0.9
                                       : position == 39 && part[1] == '2' ? -0.4
                                                                          : 0.0});
    values.push_back({.part = "prompt", .position = 7, .measure = "token", .value = kNone, .words = "owl"});
    values.push_back({.part = "clean", .measure = "logit difference", .value = 5});
    put(record("patching", values, R"({"what":"stream"})"));
    const widgets::Figure figure = made("patching");
    const auto& grid = std::get<widgets::Plot>(figure.panels.at(0).content).grid;
    QCOMPARE(grid.columns, (QStringList{u"L0"_s, u"L1"_s, u"L2"_s}));
    QCOMPARE(grid.rows, (QStringList{u"owl 7"_s, u"39"_s})); // where anything is seen
    QCOMPARE(grid.values, (std::vector<double>{0.9, 0.9, 0.9, 0, 0, -0.4}));
    QVERIFY(figure.caption.contains(u"without a change"_s));
}

void TestAnalysisFigures::aRowOfAllHeadsIsAGrid()
{
    std::vector<AnalysisValue> values{{.part = "prompt", .measure = "text", .value = kNone, .words = "red fox is"}};
    for (int position = 0; position < 3; ++position)
        values.push_back({.part = "prompt",
                          .position = position,
                          .measure = "token",
                          .value = kNone,
                          .words = position == 2 ? "is" : "fox"});
    for (const auto& [head, first] : {std::pair("L0H1", 0.25), std::pair("L2H5", 0.75)})
        for (int position = 0; position < 3; ++position)
            values.push_back({.part = head,
                              .position = position,
                              .measure = "share",
                              .value = position == 0   ? first
                                       : position == 2 ? 1 - first
                                                       : 0.0});
    put(record("row of heads", values, R"({"row":2})"));
    const widgets::Figure figure = made("all-heads");
    const auto& plot = std::get<widgets::Plot>(figure.panels.at(0).content);
    QCOMPARE(plot.grid.columns, (QStringList{u"L0H1"_s, u"L2H5"_s}));
    QCOMPARE(plot.grid.rows, (QStringList{u"fox 0"_s, u"is 2"_s})); // what any of them reads
    QCOMPARE(plot.grid.values, (std::vector<double>{0.25, 0.75, 0.75, 0.25}));
    QCOMPARE(plot.title, u"share of the row “is 2” of each head"_s);
    QVERIFY2(figure.caption.contains(u"Prompt: “red fox is”."_s), qPrintable(figure.caption));
}

void TestAnalysisFigures::patchedHeadsAreAMap()
{
    put(record("patching", {{.part = "L1H2", .measure = "share", .value = 0.9},
                            {.part = "L2S3", .measure = "share", .value = -0.25},
                            {.part = "corrupt", .measure = "logit difference", .value = -5}}));
    const widgets::Figure figure = made("patching");
    const auto& map = std::get<widgets::HeadMapFigure>(figure.panels.at(0).content);
    QCOMPARE(map.lines.size(), 4U);
    QCOMPARE(map.lines[1].values[2], 0.9F);
    QCOMPARE(map.lines[3].values[3], -0.25F);
    QVERIFY(map.isSigned); // which way a head goes is seen
}

void TestAnalysisFigures::partsEndInTheirSum()
{
    std::vector<AnalysisValue> values;
    double sum = 0;
    for (int head = 0; head < 20; ++head) {
        const double value = head % 2 ? -0.1 * head : 0.2 * head;
        values.push_back({.part = "L2H" + std::to_string(head), .measure = "adds", .value = value});
        sum += value;
    }
    values.push_back({.part = "sum", .measure = "adds", .value = sum, .low = sum - 1, .high = sum + 1});
    put(record("attribution", values));
    const widgets::Figure figure = made("attribution");
    const auto& bars = std::get<widgets::BarFigure>(figure.panels.at(0).content).bars;
    QCOMPARE(bars.size(), 18U); // sixteen, the others together, the sum
    QCOMPARE(bars.front().label, u"L2H18"_s);
    QCOMPARE(bars.back().label, u"sum"_s);
    QCOMPARE(bars.back().values[0].high, sum + 1);
    double drawn = 0;
    for (std::size_t i = 0; i + 1 < bars.size(); ++i)
        drawn += bars[i].values[0].value;
    QVERIFY(std::abs(drawn - sum) < 1e-9);
}

void TestAnalysisFigures::aKnockoutIsALineBelowNothing()
{
    put(record("knockout", {{.part = "L0-0", .measure = "logit difference", .value = 4},
                            {.part = "L0-1", .measure = "logit difference", .value = -2},
                            {.part = "none", .measure = "logit difference", .value = 5}}));
    const widgets::Figure figure = made("knockout");
    const auto& chart = std::get<widgets::ChartFigure>(figure.panels.at(0).content);
    QCOMPARE(chart.xLabels, (QStringList{u"L0"_s, u"L0-1"_s}));
    QCOMPARE(chart.curves.size(), 2U);
    QCOMPARE(chart.curves[0].points[1].y.value, -2.0);
    QCOMPARE(chart.curves[1].points[1].y.value, 5.0);
    QVERIFY(!chart.share);
}

void TestAnalysisFigures::probesAndCopyingAreMaps()
{
    put(record("probe", {{.part = "L1H2", .measure = "induction", .value = 0.9},
                         {.part = "L1H2", .measure = "sink", .value = 0.1}}));
    put(record("weights", {{.part = "L1H2", .measure = "copying", .value = -0.5}}));
    const widgets::Figure induction = made("probe-induction"), copying = made("copying");
    QCOMPARE(std::get<widgets::HeadMapFigure>(induction.panels.at(0).content).lines[1].values[2], 0.9F);
    QCOMPARE(std::get<widgets::HeadMapFigure>(copying.panels.at(0).content).lines[1].values[2], -0.5F);
    QVERIFY(!std::get<widgets::HeadMapFigure>(induction.panels.at(0).content).isSigned);
}

void TestAnalysisFigures::changedHeadsAreDotsAndAMap()
{
    put(record("compare", {{.part = "L1H2", .measure = "ov", .value = 0.125},
                           {.part = "L1H2", .measure = "qk", .value = 0.5},
                           {.part = "L1H2", .measure = "effect", .value = -0.75, .low = -1, .high = -0.5},
                           {.part = "L1H2", .measure = "p", .value = 0.01},
                           {.part = "L2S3", .measure = "ov", .value = 0.25},
                           {.part = "L2S3", .measure = "qk", .value = 0},
                           {.part = "L2S3", .measure = "effect", .value = 0.125},
                           {.part = "other", .measure = "model", .value = kNone, .words = "base+/home/ada/tuned"},
                           {.part = "undefined", .measure = "note", .value = kNone, .words = "L0 has no QK."}}));
    const widgets::Figure dots = made("changed-heads"), colours = made("changed-map");
    QCOMPARE(dots.panels.size(), 1U);
    const auto& plot = std::get<widgets::Plot>(dots.panels[0].content);
    QCOMPARE(plot.xTitle, u"relative change of QK"_s); // the weights that changed more
    QCOMPARE(plot.title, u"change of the ablation effect, nats"_s);
    QVERIFY(!plot.joined);
    QCOMPARE(plot.series.size(), 1U);
    QCOMPARE(plot.series[0].points.size(), 2U);
    const auto& first = plot.series[0].points[0];
    QCOMPARE(first.name, u"L1H2"_s);
    QCOMPARE(first.x, 0.5);
    QCOMPARE(first.value, -0.75);
    QVERIFY(first.interval == std::pair(-1.0, -0.5));
    QCOMPARE(plot.series[0].points[1].value, 0.125);
    QVERIFY(!plot.series[0].points[1].interval);
    QVERIFY2(plot.series[0].name.endsWith(u"tuned"_s) && !plot.series[0].name.contains(u"ada"_s),
             qPrintable(plot.series[0].name));
    QVERIFY(dots.caption.contains(u"L0 has no QK."_s));
    const auto& map = std::get<widgets::HeadMapFigure>(colours.panels.at(0).content);
    QCOMPARE(map.metric, plot.title);
    QVERIFY(map.isSigned);
    QCOMPARE(map.lines[1].values[2], -0.75F);
    QCOMPARE(map.lines[3].values[3], 0.125F);
    // Any two are a scatter, each a map.
    Recipe other{.panels = {{.kind = PanelKind::Analysis, .analysis = "compare", .x = "ov", .y = "qk"},
                            {.kind = PanelKind::Analysis, .view = "ov", .analysis = "compare"}}};
    const auto drawn = makeFigure(*m_session, other);
    VERIFY_OK(drawn);
    QCOMPARE(std::get<widgets::Plot>(drawn->panels[0].content).series[0].points[1].x, 0.25);
    QCOMPARE(std::get<widgets::HeadMapFigure>(drawn->panels[1].content).lines[3].values[3], 0.25F);
    other.panels[0].x = "pattern"; // was not measured
    const auto missing = makeFigure(*m_session, other);
    QVERIFY(!missing.has_value() && missing.error().message.find("'pattern'") != std::string::npos);
}

void TestAnalysisFigures::aComparisonOfWeightsAloneNeedsNoPrompts()
{
    put(record("compare", {{.part = "L1H2", .measure = "ov", .value = 0.125}}));
    QVERIFY(made("changed-heads").title.contains(u"no two changes"_s));
    QCOMPARE(std::get<widgets::HeadMapFigure>(made("changed-map").panels.at(0).content).lines[1].values[2], 0.125F);
    put(record("compare", {{.part = "L1H2", .measure = "ov", .value = 0.125},
                           {.part = "L1H2", .measure = "qk", .value = 0.0625}}));
    const widgets::Figure figure = made("changed-heads");
    const auto& plot = std::get<widgets::Plot>(figure.panels.at(0).content);
    QCOMPARE(plot.xTitle, u"relative change of OV"_s);
    QCOMPARE(plot.series[0].points[0].value, 0.0625);
}

void TestAnalysisFigures::aSeriesIsALineOverTheSteps()
{
    std::vector<AnalysisValue> values;
    for (const auto& [step, value] : {std::pair("30", 0.25), std::pair("200", 0.75)}) {
        values.push_back({.part = "value",
                          .receiver = "L0H0",
                          .measure = "series",
                          .value = value,
                          .low = value - 0.125,
                          .high = value + 0.125,
                          .words = step});
        for (int head = 0; head < 6; ++head)
            values.push_back(
                {.part = "L0H" + std::to_string(head), .measure = "head", .value = value - 0.01 * head, .words = step});
    }
    put(record("series", values, R"({"what":"induction","head":""})"));
    const widgets::Figure figure = made("series");
    const auto& chart = std::get<widgets::ChartFigure>(figure.panels.at(0).content);
    QCOMPARE(chart.yTitle, u"induction"_s);
    QCOMPARE(chart.curves.size(), 5U); // the largest, and four heads
    QCOMPARE(chart.curves[0].name, u"largest"_s);
    QCOMPARE(chart.curves[0].points[1].x, 200.0);
    QCOMPARE(chart.curves[0].points[1].y.value, 0.75);
    QCOMPARE(chart.curves[0].points[0].y.low, 0.125);
    QCOMPARE(chart.curves[4].name, u"L0H3"_s);
    QCOMPARE(chart.curves[4].points[0].y.value, 0.22);
    put(record("series", {{.part = "value", .measure = "series", .value = 0.5, .words = "10"}},
               R"({"what":"toy_kv","head":""})"));
    const widgets::Figure score = made("series");
    const auto& line = std::get<widgets::ChartFigure>(score.panels.at(0).content);
    QCOMPARE(line.curves.size(), 1U);
    QCOMPARE(line.curves[0].name, u"value"_s);
    QVERIFY(std::isnan(line.curves[0].points[0].y.low));
}

void TestAnalysisFigures::aFigureStaysWhenAnotherAnalysisComes()
{
    put(edges());
    const auto before = findRecipe(*m_session, "edges");
    VERIFY_OK(before);
    AnalysisRecord other = edges();
    other.key.questionJson = R"({"part":"L1H2"})";
    other.values.resize(2);
    put(other);
    const auto drawn = makeFigure(*m_session, *before);
    VERIFY_OK(drawn);
    QCOMPARE(std::get<widgets::EdgeFigure>(drawn->panels[0].content).data.edges.size(), 5U);
    QCOMPARE(std::get<widgets::EdgeFigure>(made("edges").panels.at(0).content).data.edges.size(), 1U); // the newest
    Recipe gone = *before;
    gone.panels[0].question = "0123456789ab";
    const auto missing = makeFigure(*m_session, gone);
    QVERIFY(!missing.has_value() && missing.error().message.find("0123456789ab") != std::string::npos);
}

void TestAnalysisFigures::whatIsNotThereIsASentence()
{
    for (const char* name : {"lens", "attribution", "patching", "edges", "knockout", "copying", "probe-sink",
                             "changed-heads", "changed-map", "series"}) {
        const widgets::Figure figure = made(name);
        QVERIFY2(figure.panels.empty() && figure.title.startsWith(u"The session has no "_s)
                     && figure.title.endsWith(u'.'),
                 qPrintable(figure.title));
    }
    const auto recipe = parseRecipe(R"({"version":1,"panels":[{"kind":"analysis","analysis":"magic"}]})");
    QVERIFY(!recipe.has_value() && recipe.error().message.find("lens") != std::string::npos);
}

void TestAnalysisFigures::isDrawnInEveryForm_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("letters"); // that a reader finds in it
    QTest::newRow("lens") << u"lens"_s << u"17"_s;
    QTest::newRow("edges") << u"edges"_s << u"L1H2"_s;
}

void TestAnalysisFigures::isDrawnInEveryForm()
{
    QFETCH(const QString, name);
    QFETCH(const QString, letters);
    put(lens());
    put(edges());
    const widgets::Figure figure = made(name.toStdString());
    const widgets::FigureStyle style{.widthMm = 175};
    using widgets::FigureFormat;
    for (const FigureFormat format : {FigureFormat::Svg, FigureFormat::Pdf, FigureFormat::Png}) {
        const auto first = widgets::renderFigure(figure, style, format),
                   second = widgets::renderFigure(figure, style, format);
        VERIFY_OK(first);
        VERIFY_OK(second);
        QVERIFY(first->size() > 1000 && *first == *second);
        if (format == FigureFormat::Svg)
            QVERIFY(first->contains(letters.toUtf8())); // real text
    }
    const auto csv = widgets::figureText(figure, widgets::FigureText::Csv);
    VERIFY_OK(csv);
    QVERIFY2(csv->contains(name == u"lens"_s ? "17 0.75" : "L1H2,L2A5.k,12,0.8"), csv->constData());
}

QTEST_MAIN(TestAnalysisFigures)
#include "tst_analysisfigures.moc"
