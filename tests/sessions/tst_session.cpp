// SPDX-License-Identifier: GPL-3.0-or-later
// What goes into a session comes out again, under the right identity and under no other.
#include "sessions/results/bestseries.h"
#include "sessions/results/comparestates.h"
#include "sessions/results/resultwriter.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

class TestSession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void keepsModelsAndTokenizers();
    void keepsExamplesByHash();
    void pagesExamplesInOrderOfRow();
    void keepsResultsBitForBit();
    void changedConditionsNeverReuseAResult_data();
    void changedConditionsNeverReuseAResult();
    void refusesResultsOfUnknownModelsAndExamples();
    void failedWriteLeavesNothingBehind();
    void sumsScoresAndPairs();
    void prefersTheLaterOfTwoEqualSeries();
    void pairsExamplesInOrderOfRow();
    void writerCommitsByRowsAndOnFlush();
    void writerKeepsRowsThatCouldNotBeStored();
    void keepsRuns();
    void keepsRankingsOnce();
    void keepsPatternsWithinTheStatedError();
    void patternsOfMixersWithoutDKeepTheirIdentity();
    void refusesPatternsThatAreNotFinite();
    void keepsNotebook();
    void readerSeesWhatAnotherConnectionWrote();

private:
    [[nodiscard]] SessionStore open() const
    {
        auto session = SessionStore::open(m_folder->filePath(QStringLiteral("a.session")).toStdString());
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        return std::move(*session);
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSession::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestSession::keepsModelsAndTokenizers()
{
    const TokenizerRecord tokenizer{sha256Hex("tokenizer"), "WordLevel", "tokenizer.json", 321};
    ModelRecord model = exampleModel();
    model.tokenizerHash = tokenizer.hash;
    {
        SessionStore session = open();
        VERIFY_OK(session.putTokenizer(tokenizer));
        VERIFY_OK(session.putModel(model));
        VERIFY_OK(session.putModel(exampleModel("tiny-ssm")));
        model.device = "cuda:0";
        VERIFY_OK(session.putModel(model));
    }
    SessionStore session = open();
    QCOMPARE(session.models()->size(), 2U);
    QVERIFY(**session.model(model.hash) == model);
    QVERIFY(session.tokenizers()->front() == tokenizer);
    QVERIFY(!session.model("unknown")->has_value());
}

void TestSession::keepsExamplesByHash()
{
    SessionStore session = open();
    const auto some = examples(5);
    VERIFY_OK(session.putExamples(some));
    VERIFY_OK(session.putExamples(some));
    QCOMPARE(*session.exampleCount(), 5);
    QVERIFY(**session.example(some[3].hash) == some[3]);
    QVERIFY(!session.example("unknown")->has_value());
}

void TestSession::pagesExamplesInOrderOfRow()
{
    SessionStore session = open();
    auto some = examples(50);
    std::swap(some[10], some[40]);
    VERIFY_OK(session.putExamples(some));
    VERIFY_OK(session.putExamples(examples(3, "toy_mc")));
    const auto ids = *session.exampleIds("toy_kv:pairs=8");
    QCOMPARE(ids.size(), 50U);
    const auto page = session.examples(std::span(ids).subspan(20, 5));
    VERIFY_OK(page);
    QCOMPARE(page->size(), 5U);
    QCOMPARE(page->front().row, 20);
    QVERIFY((*session.tasks() == std::vector<std::string>{"toy_kv:pairs=8", "toy_mc"}));
    QVERIFY(!session.examples(std::vector<std::int64_t>{999}).has_value());
}

void TestSession::keepsResultsBitForBit()
{
    SessionStore session = open();
    const auto some = examples(3);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(some));
    ResultRecord plain = resultFor(some[0], true);
    plain.logLikelihoods = {1.0 / 3.0, -0.0, 5e-324, -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::max()};
    ResultRecord generated = resultFor(some[1], false);
    generated.generated = "the \"answer\"\nis \xC3\xA9";
    generated.logLikelihoods.clear();
    generated.greedy = {true};
    generated.correctNorm.reset();
    ResultRecord rejected;
    rejected.exampleHash = some[2].hash;
    rejected.rejected = "The prompt has 600 tokens; expected at most 512.";
    VERIFY_OK(session.putResults(series(), std::vector{plain, generated, rejected}));
    const auto results = session.results(series());
    VERIFY_OK(results);
    QVERIFY((*results == std::vector{plain, generated, rejected}));
    QVERIFY(std::signbit(results->front().logLikelihoods[1]));
    QVERIFY(**session.result(series(), some[1].hash) == generated);
    QCOMPARE(session.doneExamples(series())->size(), 3U);
}

void TestSession::changedConditionsNeverReuseAResult_data()
{
    QTest::addColumn<QString>("field");
    for (const char* field : {"model", "tokenizer", "dtype", "device", "task", "ablation", "scoring version", "inputs",
                              "prompt", "source of the rows", "version of the task"})
        QTest::newRow(field) << QString::fromLatin1(field);
}

void TestSession::changedConditionsNeverReuseAResult()
{
    QFETCH(QString, field);
    SessionStore session = open();
    auto some = examples(1);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putModel(exampleModel("other")));
    VERIFY_OK(session.putExamples(some));
    VERIFY_OK(session.putResults(series(), std::vector{resultFor(some[0], true)}));
    QVERIFY(session.doneExamples(series())->contains(some[0].hash));

    SeriesKey changed = series();
    std::string hash = some[0].hash;
    if (field == QLatin1String("model"))
        changed.modelHash = exampleModel("other").hash;
    if (field == QLatin1String("tokenizer"))
        changed.tokenizerHash = "x";
    if (field == QLatin1String("dtype"))
        changed.dtype = "bf16";
    if (field == QLatin1String("device"))
        changed.device = "cuda";
    if (field == QLatin1String("task"))
        changed.task = "toy_mc";
    if (field == QLatin1String("ablation"))
        changed.ablation = "L2H5";
    if (field == QLatin1String("scoring version"))
        changed.scoringVersion = 2;
    if (field == QLatin1String("inputs"))
        changed.inputs = "x";
    if (field == QLatin1String("source of the rows"))
        changed.rowSource = "x";
    if (field == QLatin1String("version of the task"))
        changed.taskVersion = "2.0";
    if (field == QLatin1String("prompt"))
        hash = exampleAt(1).hash;
    QVERIFY(!session.doneExamples(changed)->contains(hash));
    QVERIFY(!session.result(changed, hash)->has_value());

    // And once both are there, each keeps its own.
    VERIFY_OK(session.putExamples(examples(2)));
    ResultRecord other = resultFor(some[0], false);
    other.exampleHash = hash;
    VERIFY_OK(session.putResults(changed, std::vector{other}));
    QVERIFY(**session.result(series(), some[0].hash) == resultFor(some[0], true));
    QVERIFY(**session.result(changed, hash) == other);
}

void TestSession::refusesResultsOfUnknownModelsAndExamples()
{
    SessionStore session = open();
    const auto some = examples(1);
    const auto noModel = session.putResults(series(), std::vector{resultFor(some[0], true)});
    QVERIFY(!noModel.has_value());
    QCOMPARE(noModel.error().message, "The session has no model with the hash '" + exampleModel().hash + "'.");
    VERIFY_OK(session.putModel(exampleModel()));
    const auto noExample = session.putResults(series(), std::vector{resultFor(some[0], true)});
    QVERIFY(!noExample.has_value());
    QVERIFY(noExample.error().message.find("no example") != std::string::npos);
}

void TestSession::failedWriteLeavesNothingBehind()
{
    SessionStore session = open();
    const auto some = examples(2);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(std::span(some).first(1)));
    QVERIFY(!session.putResults(series("L2H5"), std::vector{resultFor(some[0], true), resultFor(some[1], true)})
                 .has_value());
    QVERIFY(session.results(series("L2H5"))->empty());
    QVERIFY(session.ablations()->empty());
}

void TestSession::sumsScoresAndPairs()
{
    SessionStore session = open();
    const auto some = examples(10);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(some));
    std::vector<ResultRecord> before, after;
    for (const auto& example : some) {
        before.push_back(resultFor(example, true));
        after.push_back(resultFor(example, example.row >= 7));
    }
    after.back() = {};
    after.back().exampleHash = some.back().hash;
    after.back().rejected = "Too long.";
    VERIFY_OK(session.putResults(series(), before));
    VERIFY_OK(session.putResults(series("L2H5"), after));
    const auto scores = session.scores();
    VERIFY_OK(scores);
    QCOMPARE(scores->size(), 2U);
    QVERIFY(scores->at(0).series == series());
    QCOMPARE(scores->at(0).correct, 10);
    QCOMPARE(scores->at(1).n, 9);
    QCOMPARE(scores->at(1).correct, 2);
    QCOMPARE(scores->at(1).rejected, 1);
    const auto pairs = pairedTotals(session, series(), series("L2H5"));
    VERIFY_OK(pairs);
    QCOMPARE(pairs->acc.total(), 9);
    QCOMPARE(pairs->acc.lost, 7);
    QCOMPARE(pairedTotals(session, series(), series("L1H1"))->acc.total(), 0);
}

// A state that names a file is measured again when the file has changed; only the inputs of its series tell.
void TestSession::prefersTheLaterOfTwoEqualSeries()
{
    SessionStore session = open();
    const auto some = examples(4);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(some));
    SeriesKey key = series("steer:L1*8=v.safetensors[vector]");
    const auto put = [&](const char* inputs, std::size_t count, bool right) {
        std::vector<ResultRecord> results;
        for (std::size_t i = 0; i < count; ++i)
            results.push_back(resultFor(some[i], right));
        key.inputs = inputs;
        return session.putResults(key, results);
    };
    VERIFY_OK(put("over=b", 3, true));
    VERIFY_OK(put("over=a", 3, false));
    VERIFY_OK(put("over=c", 2, true)); // fewer
    auto scores = *session.scores();
    for (int i = 0; i < 2; ++i) {
        const SeriesScore* best = bestSeries(scores, key.modelHash, key.task, key.ablation);
        QVERIFY(best);
        QCOMPARE(best->series.inputs, std::string("over=a"));
        std::ranges::reverse(scores);
    }
    std::vector<ResultRecord> before;
    for (const ExampleRecord& example : some)
        before.push_back(resultFor(example, true));
    VERIFY_OK(session.putResults(series(), before));
    const auto changes = compareStates(session, {key.modelHash, ""}, {key.modelHash, key.ablation});
    VERIFY_OK(changes);
    QCOMPARE(changes->front().second, 0.0);
}

void TestSession::pairsExamplesInOrderOfRow()
{
    SessionStore session = open();
    // Stored backwards and in two pieces, with one that was rejected and one that only the baseline has.
    auto some = examples(40);
    std::vector<ResultRecord> before, after;
    for (const ExampleRecord& example : some) {
        before.push_back(resultFor(example, example.row % 2 == 0));
        if (example.row != 7)
            after.push_back(resultFor(example, example.row % 3 == 0));
    }
    after[5].correct.reset();
    after[5].correctNorm.reset();
    after[5].rejected = "too long";
    before[4].correctNorm.reset();
    std::reverse(some.begin(), some.end());
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(std::span(some).subspan(25)));
    VERIFY_OK(session.putExamples(some));
    VERIFY_OK(session.putResults(series(), before));
    VERIFY_OK(session.putResults(series("L2H5"), after));

    const auto pairs = pairedExamples(session, series(), series("L2H5"));
    VERIFY_OK(pairs);
    QCOMPARE(pairs->size(), 38U);
    std::vector<std::int64_t> ids;
    for (const PairedExample& pair : *pairs)
        ids.push_back(pair.id);
    const auto rows = examplePairs(session, series(), series("L2H5"), ids);
    VERIFY_OK(rows);
    analysis::PairedCounts acc, norm;
    int last = -1;
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const int row = rows->at(i).example.row;
        QVERIFY(row > last && row != 5 && row != 7);
        last = row;
        QCOMPARE(rows->at(i).example, exampleAt(row));
        QCOMPARE(rows->at(i).before.exampleHash, exampleAt(row).hash);
        QCOMPARE(pairs->at(i).before, row % 2 == 0);
        QCOMPARE(pairs->at(i).now, row % 3 == 0);
        QCOMPARE(*rows->at(i).now.correct, row % 3 == 0);
        acc.add(row % 2 == 0, row % 3 == 0);
        if (row != 4)
            norm.add(row % 2 == 0, row % 3 == 0);
    }
    const auto totals = pairedTotals(session, series(), series("L2H5"));
    VERIFY_OK(totals);
    for (const auto& [counted, expected] : {std::pair(totals->acc, acc), std::pair(totals->norm, norm)}) {
        QCOMPARE(counted.total(), expected.total());
        QCOMPARE(counted.lost, expected.lost);
        QCOMPARE(counted.gained, expected.gained);
        QCOMPARE(counted.bothRight, expected.bothRight);
    }
    QVERIFY(pairedExamples(session, series(), series("L1H1"))->empty());
    QVERIFY(!examplePairs(session, series(), series("L2H5"), std::vector<std::int64_t>{999}).has_value());
}

void TestSession::writerCommitsByRowsAndOnFlush()
{
    SessionStore session = open();
    SessionStore reader = open();
    const auto some = examples(10);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(some));
    std::size_t committed = 0;
    WriterOptions options;
    options.rows = 4;
    options.interval = std::chrono::hours(1);
    options.committed = [&](const SeriesKey&, std::span<const ResultRecord> rows) { committed += rows.size(); };
    ResultWriter writer(session, options);
    for (std::size_t i = 0; i < some.size(); ++i) {
        VERIFY_OK(writer.add(series(), resultFor(some[i], true)));
        QCOMPARE(reader.doneExamples(series())->size(), committed);
    }
    QVERIFY(committed >= 8 && committed < 10);
    VERIFY_OK(writer.flush());
    QCOMPARE(committed, 10U);
    QCOMPARE(writer.pending(), 0U);
    QCOMPARE(reader.results(series())->size(), 10U);
}

void TestSession::writerKeepsRowsThatCouldNotBeStored()
{
    SessionStore session = open();
    const auto some = examples(1);
    VERIFY_OK(session.putModel(exampleModel()));
    ResultWriter writer(session);
    QVERIFY(!writer.add(series(), resultFor(some[0], true)).has_value());
    QCOMPARE(writer.pending(), 1U);
    VERIFY_OK(session.putExamples(some));
    VERIFY_OK(writer.flush());
    QCOMPARE(session.results(series())->size(), 1U);
}

void TestSession::keepsRuns()
{
    SessionStore session = open();
    VERIFY_OK(session.putModel(exampleModel()));
    RunRecord run;
    run.name = "without L2H5";
    run.note = "KV goes to chance";
    run.modelHash = exampleModel().hash;
    run.ablation = "L2H5";
    run.position = 2;
    run.series = {series("L2H5")};
    const auto uid = session.putRun(run);
    VERIFY_OK(uid);
    RunRecord first;
    first.name = "baseline";
    first.position = 1;
    VERIFY_OK(session.putRun(first));
    run.uid = *uid;
    run.note = "changed";
    VERIFY_OK(session.putRun(run));
    auto runs = *session.runs();
    QCOMPARE(runs.size(), 2U);
    QCOMPARE(runs[0].name, std::string("baseline"));
    QCOMPARE(runs[1].created.size(), 20U);
    run.created = runs[1].created;
    QVERIFY(runs[1] == run);
    VERIFY_OK(session.removeRun(run.uid));
    QCOMPARE(session.runs()->size(), 1U);
    QVERIFY(!session.removeRun(run.uid).has_value());
}

void TestSession::keepsRankingsOnce()
{
    SessionStore session = open();
    VERIFY_OK(session.putModel(exampleModel()));
    RankingRecord ranking;
    ranking.modelHash = exampleModel().hash;
    ranking.dtype = "fp32";
    ranking.device = "cpu";
    ranking.task = "toy_kv:pairs=8";
    ranking.method = "exact";
    ranking.created = "2026-01-31T09:30:00Z";
    ranking.n = 400;
    ranking.heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92}, {"L1H3", 0.2, -0.78, -0.8, -0.7}};
    const auto uid = session.addRanking(ranking);
    VERIFY_OK(uid);
    VERIFY_OK(session.addRanking(ranking));
    ranking.uid = *uid;
    QCOMPARE(session.rankings()->size(), 1U);
    QVERIFY(session.rankings()->front() == ranking);
}

void TestSession::keepsPatternsWithinTheStatedError()
{
    SessionStore session = open();
    VERIFY_OK(session.putModel(exampleModel()));
    const int size = 40;
    PatternRecord pattern;
    pattern.modelHash = exampleModel().hash;
    pattern.dtype = "fp32";
    pattern.head = "L2H5";
    pattern.convention = {.kind = analysis::MatrixKind::HiddenChannel, .withD = false, .withGate = true};
    pattern.prompt = "some prompt";
    pattern.tokens.assign(size, "tok");
    pattern.values = Matrix(size, size);
    for (int q = 0; q < size; ++q)
        for (int k = 0; k <= q; ++k)
            pattern.values.at(q, k) =
                std::sin(static_cast<float>(q * 37 + k)) * 300000.0F / static_cast<float>(1 + k * k);
    const auto info = session.putPattern(pattern);
    VERIFY_OK(info);
    QVERIFY(info->maxError > 0.0 && info->maxError <= 300000.0 / 2048.0);
    const auto back = session.pattern(info->id);
    VERIFY_OK(back);
    double largest = 0.0;
    for (int q = 0; q < size; ++q)
        for (int k = 0; k < size; ++k) {
            largest = std::max(largest, std::abs(static_cast<double>(back->values.at(q, k))
                                                 - static_cast<double>(pattern.values.at(q, k))));
            if (k > q)
                QCOMPARE(back->values.at(q, k), 0.0F);
        }
    QCOMPARE(largest, info->maxError);
    QCOMPARE(back->maxError, info->maxError);
    QVERIFY(back->convention == pattern.convention && info->convention == pattern.convention);
    QVERIFY(back->tokens == pattern.tokens);
    QCOMPARE(session.putPattern(pattern)->id, info->id);
    QCOMPARE(session.patterns()->size(), 1U);
}

// What an earlier version kept of a mixer without D is found again, and speaks of D no more.
void TestSession::patternsOfMixersWithoutDKeepTheirIdentity()
{
    SessionStore session = open();
    ModelRecord model = exampleModel();
    model.headsJson =
        R"([{"kind":"mamba2","heads":2},[{"kind":"attention","heads":2},{"kind":"kimi_delta","heads":2}]])";
    VERIFY_OK(session.putModel(model));
    PatternRecord pattern;
    pattern.modelHash = model.hash;
    pattern.dtype = "fp32";
    pattern.convention.kind = analysis::MatrixKind::Hidden;
    pattern.prompt = "some prompt";
    pattern.tokens = {"a"};
    pattern.values = Matrix(1, 1);
    for (const auto& [head, words] : {std::pair("L0H1", "hidden attention, with D (signed, rows do not sum to 1)"),
                                      std::pair("L1S1", "hidden attention (signed, rows do not sum to 1)")}) {
        pattern.head = head;
        pattern.convention.hasD = true;
        const auto earlier = session.putPattern(pattern);
        VERIFY_OK(earlier);
        QCOMPARE(conventionText(*earlier), std::string(words));
        QCOMPARE(conventionText(*session.pattern(earlier->id)), std::string(words));
        pattern.convention = earlier->convention;
        QCOMPARE(session.putPattern(pattern)->id, earlier->id);
    }
    QCOMPARE(session.patterns()->size(), 2U);
}

void TestSession::refusesPatternsThatAreNotFinite()
{
    SessionStore session = open();
    VERIFY_OK(session.putModel(exampleModel()));
    PatternRecord pattern;
    pattern.modelHash = exampleModel().hash;
    pattern.tokens = {"a"};
    pattern.values = Matrix(1, 1);
    pattern.values.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(!session.putPattern(pattern).has_value());
    pattern.values.at(0, 0) = 1.0F;
    pattern.tokens.clear();
    QVERIFY(!session.putPattern(pattern).has_value());
}

void TestSession::keepsNotebook()
{
    const std::string bytes("\0\xFF bytes\0", 9);
    {
        SessionStore session = open();
        VERIFY_OK(session.putModel(exampleModel()));
        VERIFY_OK(session.setUiState("geometry", "old"));
        VERIFY_OK(session.setUiState("geometry", bytes));
        VERIFY_OK(session.setUiState("empty", {}));
        VERIFY_OK(session.setTour({"first steps", 2, false}));
        VERIFY_OK(session.putFigure({"fig 1", R"({"kind":"head"})", "2026-01-31T09:30:00Z"}));
        VERIFY_OK(session.putLabel({exampleModel().hash, "L2H5", "the aggregator", "#cc0000"}));
        VERIFY_OK(session.putLabel({exampleModel().hash, "L1H1", "x", ""}));
        VERIFY_OK(session.putLabel({exampleModel().hash, "L1H1", "", ""}));
        // A name and a colour come from two windows: neither takes the other's.
        VERIFY_OK(session.putLabel({exampleModel().hash, "L0H1", "induction", {}}));
        VERIFY_OK(session.putLabel({exampleModel().hash, "L0H1", {}, "#00cc00"}));
        VERIFY_OK(session.putLabel({exampleModel().hash, "L0H2", {}, "#00cc00"}));
        VERIFY_OK(session.putLabel({exampleModel().hash, "L0H2", {}, ""}));
        VERIFY_OK(session.addHistory({0, "2026-01-31T09:30:00Z", "L2H5 off", exampleModel().hash, "L2H5"}));
        VERIFY_OK(session.addHistory({0, "2026-01-31T09:31:00Z", "L2H5 on", {}, ""}));
    }
    SessionStore session = open();
    QVERIFY(**session.uiState("geometry") == bytes);
    QVERIFY((**session.uiState("empty")).empty());
    QVERIFY(!session.uiState("unknown")->has_value());
    QVERIFY((session.tours()->front() == TourProgress{"first steps", 2, false}));
    QVERIFY((session.figures()->front() == FigureRecipe{"fig 1", R"({"kind":"head"})", "2026-01-31T09:30:00Z"}));
    QVERIFY((*session.labels(exampleModel().hash)
             == std::vector{HeadLabel{exampleModel().hash, "L0H1", "induction", "#00cc00"},
                            HeadLabel{exampleModel().hash, "L2H5", "the aggregator", "#cc0000"}}));
    QCOMPARE(session.history()->size(), 2U);
    QCOMPARE(session.history()->front().ablation, std::string("L2H5"));
    VERIFY_OK(session.removeFigure("fig 1"));
    QVERIFY(!session.removeFigure("fig 1").has_value());
}

void TestSession::readerSeesWhatAnotherConnectionWrote()
{
    SessionStore writer = open();
    SessionStore reader = open();
    QCOMPARE(*writer.uid(), *reader.uid());
    const auto before = *reader.dataVersion();
    VERIFY_OK(writer.putAblation("L2H5"));
    QVERIFY(*reader.dataVersion() != before);
    QCOMPARE(reader.ablations()->size(), 1U);
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
