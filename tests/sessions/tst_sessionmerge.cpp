// SPDX-License-Identifier: GPL-3.0-or-later
// Joining, copying, checking, shrinking and exporting sessions.
#include "sessions/export/exportscores.h"
#include "sessions/file/maintenance.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/merge.h"
#include "sessions/results/bestseries.h"
#include "sessions/results/comparestates.h"
#include "sessions/sessionstore.h"
#include "sessions/uistates.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <span>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

class TestSessionMerge : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void mergesEverythingOnce();
    void mergesDisjointHalves();
    void keepsConflictsSideBySide();
    void flagsThatOneSideLacksAreNoConflict();
    void reportsOfExperimentsAreMerged();
    void mergeOfTwoCopiesSharesTheirRuns();
    void stoppedMergeChangesNothing();
    void refusesToMergeWithItself();
    void copiesAreCompleteAndNeverOverwrite();
    void conflictsThatDifferInAFolderBecomeOne();
    void duplicateHasItsOwnUid();
    void verifyFindsWhatWasChanged_data();
    void verifyFindsWhatWasChanged();
    void compactGivesSpaceBack();
    void scoreTableTestsAgainstTheBaseline();
    void keepsSourcesOfRowsApart();
    void comparesWithTheBaselineOfTheSameInputs();
    void comparesStatesOfTheSameConditions();
    void namesConditionsThatDiffer();
    void viewsShowScoresAndFlips();
    void exportsEscapeNames();

private:
    [[nodiscard]] std::string path(const char* name) const
    {
        return m_folder->filePath(QString::fromLatin1(name)).toStdString();
    }
    [[nodiscard]] SessionStore open(const char* name) const
    {
        auto session = SessionStore::open(path(name));
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        return std::move(*session);
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionMerge::mergesEverythingOnce()
{
    SessionStore from = open("a");
    QCOMPARE(fill(from), std::string());
    SessionStore into = open("b");
    const auto first = merge(into, from);
    VERIFY_OK(first);
    QVERIFY((*first == MergeReport{1, 12, 24, 1, 1, 1, 1, 1, 1, 0}));
    const auto second = merge(into, from);
    VERIFY_OK(second);
    QVERIFY(*second == MergeReport{});
    QVERIFY(*into.results(series("L2H5")) == *from.results(series("L2H5")));
    QVERIFY(*into.runs() == *from.runs());
    QVERIFY(*into.rankings() == *from.rankings());
    QVERIFY(*into.figures() == *from.figures());
    QVERIFY(*into.models() == *from.models());
    QVERIFY(*into.tokenizers() == *from.tokenizers());
    QVERIFY(*into.labels(exampleModel().hash) == *from.labels(exampleModel().hash));
    QCOMPARE(into.pattern(into.patterns()->front().id)->values.values,
             from.pattern(from.patterns()->front().id)->values.values);
    QVERIFY(!into.uiState("geometry")->has_value());
    QCOMPARE(verify(into)->problems, std::vector<std::string>());
}

void TestSessionMerge::mergesDisjointHalves()
{
    const auto some = examples(10);
    SessionStore a = open("a");
    SessionStore b = open("b");
    for (SessionStore* session : {&a, &b}) {
        VERIFY_OK(session->putModel(exampleModel()));
        VERIFY_OK(session->putExamples(some));
    }
    for (const auto& example : some)
        VERIFY_OK((example.row < 5 ? a : b).putResults(series(), std::vector{resultFor(example, true)}));
    QCOMPARE(merge(a, b)->results, 5);
    QCOMPARE(a.doneExamples(series())->size(), 10U);
    QCOMPARE(a.results(series())->back().exampleHash, some.back().hash);
}

void TestSessionMerge::keepsConflictsSideBySide()
{
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    VERIFY_OK(saveAs(a, path("b")));
    SessionStore b = open("b");

    const auto extra = exampleAt(100);
    ResultRecord other = resultFor(extra, true);
    for (SessionStore* session : {&a, &b})
        VERIFY_OK(session->putExamples(std::span(&extra, 1)));
    VERIFY_OK(a.putResults(series(), std::vector{other}));
    other.logLikelihoods[0] += 1e-9;
    VERIFY_OK(b.putResults(series(), std::vector{other}));
    RunRecord run = b.runs()->front();
    run.note = "their note";
    VERIFY_OK(b.putRun(run));
    VERIFY_OK(b.putFigure({"fig 1", R"({"kind":"theirs"})", {}}));
    VERIFY_OK(b.putLabel({exampleModel().hash, "L2H5", "their name", "#00cc00"}));
    PatternRecord pattern = *b.pattern(1);
    pattern.values.values[2] = 0.5F;
    VERIFY_OK(b.putPattern(pattern));

    const auto before = *a.results(series());
    const auto first = merge(a, b);
    VERIFY_OK(first);
    QCOMPARE(first->conflicts, 5);
    QCOMPARE(first->results, 0);
    QVERIFY(*a.results(series()) == before);
    QCOMPARE(a.runs()->size(), 2U);
    QCOMPARE(a.runs()->back().note, std::string("their note"));
    QVERIFY(a.runs()->back().series == std::vector{series("L2H5")});
    QCOMPARE(a.figures()->size(), 2U);
    QCOMPARE(a.patterns()->size(), 2U);
    QCOMPARE(a.labels(exampleModel().hash)->front().name, std::string("the aggregator"));
    const auto conflicts = *a.conflicts();
    QCOMPARE(conflicts.size(), 2U);
    QCOMPARE(conflicts[0].kind, std::string("result"));
    QCOMPARE(conflicts[1].kind, std::string("label"));
    QVERIFY(conflicts[1].theirs.find("their name") != std::string::npos);
    QVERIFY(*merge(a, b) == MergeReport{});
    // What is written about the run that came in stays, however often the other session is merged again.
    RunRecord theirs = a.runs()->back();
    theirs.note = "checked";
    VERIFY_OK(a.putRun(theirs));
    QVERIFY(*merge(a, b) == MergeReport{});
    QCOMPARE(a.runs()->size(), 2U);
    QVERIFY(a.runs()->back() == theirs);
}

// Schema 4 kept no flags of several continuations: the same row stored by both is the same row.
void TestSessionMerge::flagsThatOneSideLacksAreNoConflict()
{
    const auto some = examples(2);
    SessionStore a = open("a"), b = open("b");
    for (SessionStore* session : {&a, &b}) {
        VERIFY_OK(session->putModel(exampleModel()));
        VERIFY_OK(session->putExamples(some));
        ResultRecord known = resultFor(some[0], true), differs = resultFor(some[1], true);
        if (session == &b) {
            known.greedy.clear();
            differs.greedy = {false, true};
        }
        VERIFY_OK(session->putResults(series(), std::vector{known, differs}));
    }
    QCOMPARE(merge(a, b)->conflicts, 1);
    QVERIFY(a.conflicts()->front().what.find(some[1].hash) != std::string::npos);
}

void TestSessionMerge::reportsOfExperimentsAreMerged()
{
    SessionStore a = open("a");
    SessionStore b = open("b");
    VERIFY_OK(a.setUiState("experiment/E1/tiny", "ours"));
    VERIFY_OK(b.setUiState("experiment/E1/tiny", "theirs"));
    VERIFY_OK(b.setUiState("experiment/E2/tiny", "only theirs"));
    VERIFY_OK(b.setUiState("window", "theirs"));
    const auto first = merge(a, b);
    VERIFY_OK(first);
    QCOMPARE(first->reports, 2);
    QCOMPARE(first->conflicts, 1);
    QCOMPARE(*a.uiState("experiment/E1/tiny"), std::optional<std::string>("ours"));
    QCOMPARE(*a.uiState("experiment/E1/tiny~" + sha256Hex("theirs").substr(0, 12)),
             std::optional<std::string>("theirs"));
    QCOMPARE(*a.uiState("experiment/E2/tiny"), std::optional<std::string>("only theirs"));
    QVERIFY(!a.uiState("window")->has_value());
    QVERIFY(*merge(a, b) == MergeReport{});
    // One that nests so deeply that copying it would take the whole stack is none.
    SessionStore hostile = open("c");
    VERIFY_OK(hostile.setUiState("experiment/E3/tiny", std::string(100'000, '[') + std::string(100'000, ']')));
    QVERIFY(!hostile.uiState("experiment/E3/tiny").has_value());
    QVERIFY(uiStates(hostile, "experiment/")->empty());
    QVERIFY(*merge(a, hostile) == MergeReport{});
    VERIFY_OK(duplicateWithoutPaths(hostile, path("d")));
    // And back: both have both.
    QCOMPARE(merge(b, a)->reports, 1);
    QVERIFY(*merge(b, a) == MergeReport{});
    QVERIFY(*merge(a, b) == MergeReport{});
}

void TestSessionMerge::mergeOfTwoCopiesSharesTheirRuns()
{
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    VERIFY_OK(duplicate(a, path("b")));
    SessionStore b = open("b");
    QVERIFY(*merge(a, b) == MergeReport{});
}

void TestSessionMerge::stoppedMergeChangesNothing()
{
    SessionStore from = open("a");
    QCOMPARE(fill(from), std::string());
    SessionStore into = open("b");
    std::stop_source source;
    const Control control{source.get_token(), [&source](const Progress& progress) {
                              if (progress.stage == "merging results")
                                  source.request_stop();
                          }};
    const auto report = merge(into, from, control);
    QVERIFY(!report.has_value());
    QVERIFY(report.error().kind == Error::Kind::Cancelled);
    QCOMPARE(*into.exampleCount(), 0);
    QVERIFY(into.models()->empty());
}

void TestSessionMerge::refusesToMergeWithItself()
{
    SessionStore a = open("a");
    SessionStore again = open("a");
    QVERIFY(!merge(a, again).has_value());
}

void TestSessionMerge::copiesAreCompleteAndNeverOverwrite()
{
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    VERIFY_OK(saveAs(a, path("b")));
    SessionStore b = open("b");
    QCOMPARE(*a.uid(), *b.uid());
    QCOMPARE(readEverything(b), readEverything(a));
    const auto twice = saveAs(a, path("b"));
    QVERIFY(!twice.has_value());
    QCOMPARE(twice.error().message,
             "The copy '" + path("b") + "' was not written: '" + path("b") + "' exists already.");
    QVERIFY(!saveAs(a, path("nowhere/b")).has_value());
    QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("*partial*")}).size(), 0);
}

// Without their folders two conflicts may be the same.
void TestSessionMerge::conflictsThatDifferInAFolderBecomeOne()
{
    SessionStore a = open("a");
    SQLite::Database file(path("a"), SQLite::OPEN_READWRITE);
    for (const char* theirs : {R"({"source":"/one/task.yaml"})", R"({"source":"/other/task.yaml"})"})
        file.exec("INSERT INTO conflicts(kind, what, theirs, origin) VALUES ('task', 'own', '" + std::string(theirs)
                  + "', '')");
    VERIFY_OK(duplicateWithoutPaths(a, path("b")));
    QCOMPARE(open("b").conflicts()->size(), 1U);
    QCOMPARE(a.conflicts()->size(), 2U);
}

void TestSessionMerge::duplicateHasItsOwnUid()
{
    SessionStore a = open("a");
    VERIFY_OK(duplicate(a, path("b")));
    SessionStore b = open("b");
    QVERIFY(*a.uid() != *b.uid());
}

void TestSessionMerge::verifyFindsWhatWasChanged_data()
{
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("finding");
    QTest::newRow("result") << QStringLiteral(
        "UPDATE results SET correct = 1 - correct WHERE example_id = 3 AND series_id = 1")
                            << QStringLiteral("result of example");
    QTest::newRow("example") << QStringLiteral("UPDATE examples SET context = 'x' WHERE id = 3")
                             << QStringLiteral("Example 3");
    QTest::newRow("ablation") << QStringLiteral("UPDATE ablations SET text = 'L9H9' WHERE text = 'L2H5'")
                              << QStringLiteral("L9H9");
    QTest::newRow("orphan") << QStringLiteral("DELETE FROM examples WHERE id = 3")
                            << QStringLiteral("'results' refers to a row of 'examples'");
    QTest::newRow("pattern") << QStringLiteral("UPDATE patterns SET data = x'00'") << QStringLiteral("Pattern 1");
}

void TestSessionMerge::verifyFindsWhatWasChanged()
{
    QFETCH(QString, change);
    QFETCH(QString, finding);
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    QCOMPARE(verify(a)->problems, std::vector<std::string>());
    SQLite::Database(path("a"), SQLite::OPEN_READWRITE).exec(change.toStdString());
    const auto report = verify(a);
    VERIFY_OK(report);
    QVERIFY(!report->problems.empty());
    QVERIFY2(report->problems.front().find(finding.toStdString()) != std::string::npos,
             report->problems.front().c_str());
}

void TestSessionMerge::compactGivesSpaceBack()
{
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    VERIFY_OK(a.setUiState("large", std::string(2000000, 'x')));
    VERIFY_OK(a.setUiState("large", "x"));
    const std::size_t before = readEverything(a);
    const auto report = compact(a);
    VERIFY_OK(report);
    QVERIFY(report->bytesBefore > 2000000 && report->bytesAfter < 500000);
    QCOMPARE(readEverything(a), before);
    QCOMPARE(verify(a)->problems, std::vector<std::string>());
}

void TestSessionMerge::scoreTableTestsAgainstTheBaseline()
{
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    const auto table = scoreTable(a);
    VERIFY_OK(table);
    QCOMPARE(table->size(), 4U);
    const ScoreEntry& baseline = table->at(0);
    QCOMPARE(baseline.metric, std::string("acc"));
    QCOMPARE(baseline.value, 1.0);
    QVERIFY(!baseline.change.has_value());
    const ScoreEntry& off = table->at(2);
    QCOMPARE(off.series.ablation, std::string("L2H5"));
    QCOMPARE(off.value, 0.25);
    QVERIFY(off.change.has_value());
    QCOMPARE(off.change->n, 12);
    QCOMPARE(off.change->delta, -0.75);
    QCOMPARE(off.change->lost, 9);
    QCOMPARE(off.change->p, 2.0 / 512.0); // two-sided exact, 9 of 9 in one direction
    QCOMPARE(table->at(3).metric, std::string("acc_norm"));
    QCOMPARE(table->at(3).change->delta, -0.75);
}

// Samples were scored in one session, a data folder in the other: their rows meet in one file and stay apart.
void TestSessionMerge::keepsSourcesOfRowsApart()
{
    SessionStore a = open("a"), b = open("b");
    const auto some = examples(8);
    const auto store = [&](SessionStore& session, const char* ablation, const char* source, const char* version,
                           int first, int last, bool right) {
        VERIFY_OK(session.putModel(exampleModel()));
        VERIFY_OK(session.putExamples(some));
        SeriesKey key = series(ablation);
        key.rowSource = source;
        key.taskVersion = version;
        std::vector<ResultRecord> results;
        for (int row = first; row < last; ++row)
            results.push_back(resultFor(some[static_cast<std::size_t>(row)], right));
        VERIFY_OK(session.putResults(key, results));
    };
    store(a, "", "", "", 0, 8, true); // an old file's
    store(a, "", "samples", "1.0", 0, 2, false);
    store(b, "", "samples", "1.0", 1, 3, false);
    store(b, "", "file", "1.0", 2, 8, true);
    store(b, "L2H5", "file", "1.0", 2, 8, false);
    store(b, "", "file", "2.0", 2, 8, false);
    VERIFY_OK(merge(a, b));
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> scored; // examples and right ones
    const auto scores = *a.scores();
    for (const SeriesScore& score : scores)
        scored[score.series.ablation + ' ' + score.series.rowSource + ' ' + score.series.taskVersion] = {score.n,
                                                                                                         score.correct};
    QVERIFY((scored
             == std::map<std::string, std::pair<std::int64_t, std::int64_t>>{{"  ", {8, 8}},
                                                                             {" samples 1.0", {3, 0}},
                                                                             {" file 1.0", {6, 6}},
                                                                             {" file 2.0", {6, 0}},
                                                                             {"L2H5 file 1.0", {6, 0}}}));
    const auto table = scoreTable(a);
    VERIFY_OK(table);
    for (const ScoreEntry& entry : *table)
        if (!entry.series.ablation.empty())
            QCOMPARE(entry.change->baseline, 1.0); // of the same rows and version
    const auto changes = compareStates(a, {exampleModel().hash, ""}, {exampleModel().hash, "L2H5"});
    VERIFY_OK(changes);
    QCOMPARE(changes->front().n, 6);
    QCOMPARE(changes->front().first, 1.0);
    SQLite::Database db(path("a"), SQLite::OPEN_READONLY);
    QCOMPARE(db.execAndGet("SELECT count(*) FROM flips").getInt(), 6);
    QCOMPARE(verify(a)->problems, std::vector<std::string>());
}

void TestSessionMerge::comparesWithTheBaselineOfTheSameInputs()
{
    SessionStore a = open("a");
    const auto some = examples(4);
    VERIFY_OK(a.putModel(exampleModel()));
    VERIFY_OK(a.putExamples(some));
    const auto store = [&](const char* ablation, const char* inputs, int right) {
        SeriesKey key = series(ablation);
        key.inputs = inputs;
        std::vector<ResultRecord> results;
        for (const auto& example : some)
            results.push_back(resultFor(example, example.row < right));
        VERIFY_OK(a.putResults(key, results));
    };
    store("", "", 4);
    store("", "bos=always", 3);
    store("L2H5=mean", " over=abc", 1);
    store("L2H5=mean", "bos=always over=abc", 0);
    store("L2H5", "bos=never", 0);
    std::map<std::string, std::optional<double>> deltas;
    const auto table = scoreTable(a);
    VERIFY_OK(table);
    for (const ScoreEntry& entry : *table)
        if (entry.metric == "acc" && !entry.series.ablation.empty())
            deltas[entry.series.inputs] = entry.change.has_value() ? std::optional(entry.change->delta) : std::nullopt;
    QVERIFY((deltas
             == std::map<std::string, std::optional<double>>{
                 {" over=abc", -0.75}, {"bos=always over=abc", -0.75}, {"bos=never", std::nullopt}}));
    SQLite::Database db(path("a"), SQLite::OPEN_READONLY);
    QCOMPARE(db.execAndGet("SELECT count(*) FROM flips").getInt(), 3 + 3);
}

namespace {

struct StoredSeries {
    const char* ablation;
    const char* dtype;
    int count; ///< rows
    int right; ///< of them, the first ones
    const char* device = "cpu";
    const char* inputs = "";
};

void storeSeries(SessionStore& session, std::span<const StoredSeries> all)
{
    const auto some = examples(8);
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(some));
    for (const StoredSeries& one : all) {
        SeriesKey key = series(one.ablation);
        key.rowSource = "file";
        key.taskVersion = "1.0";
        key.dtype = one.dtype;
        key.device = one.device;
        key.inputs = one.inputs;
        std::vector<ResultRecord> results;
        for (int row = 0; row < one.count; ++row)
            results.push_back(resultFor(some[static_cast<std::size_t>(row)], row < one.right));
        VERIFY_OK(session.putResults(key, results));
    }
}

} // namespace

// The baseline in bf16 shares more examples, and differs by itself.
void TestSessionMerge::comparesStatesOfTheSameConditions()
{
    SessionStore a = open("a");
    const StoredSeries stored[] = {
        {"", "bf16", 8, 2}, {"", "fp32", 4, 4}, {"", "fp32", 6, 0, "cuda"}, {"L2H5", "fp32", 8, 3}};
    storeSeries(a, stored);
    const auto forward = compareStates(a, {exampleModel().hash, ""}, {exampleModel().hash, "L2H5"});
    VERIFY_OK(forward);
    QCOMPARE(forward->size(), 1U);
    QCOMPARE(forward->front().n, 4);
    QCOMPARE(forward->front().first, 1.0);
    QCOMPARE(forward->front().second, 0.75);
    const auto backward = compareSeries(a, {exampleModel().hash, "L2H5"}, {exampleModel().hash, ""});
    VERIFY_OK(backward);
    QCOMPARE(backward->front().change.delta, 0.25);
    QCOMPARE(backward->front().second.dtype, std::string("fp32"));
    QVERIFY(differencesOf(backward->front().first, backward->front().second).empty());
}

void TestSessionMerge::namesConditionsThatDiffer()
{
    SessionStore a = open("a");
    const StoredSeries stored[] = {
        {"", "bf16", 8, 8, "cuda", "bos=always"}, {"", "bf16", 4, 4}, {"L2H5=mean", "fp32", 8, 2, "cpu", "over=abc"}};
    storeSeries(a, stored);
    const auto compared = compareSeries(a, {exampleModel().hash, ""}, {exampleModel().hash, "L2H5=mean"});
    VERIFY_OK(compared);
    QCOMPARE(compared->size(), 1U);
    QCOMPARE(compared->front().change.n, 4); // one difference instead of three
    const auto differences = differencesOf(compared->front().first, compared->front().second);
    QVERIFY((differences == std::vector<ConditionDifference>{{"dtype", "bf16", "fp32"}}));
}

void TestSessionMerge::viewsShowScoresAndFlips()
{
    SessionStore a = open("a");
    QCOMPARE(fill(a), std::string());
    SQLite::Database db(path("a"), SQLite::OPEN_READONLY);
    QCOMPARE(db.execAndGet("SELECT acc FROM scores WHERE ablation = 'L2H5'").getDouble(), 0.25);
    QCOMPARE(db.execAndGet("SELECT count(*) FROM flips WHERE change = 'now wrong'").getInt(), 9);
    QCOMPARE(db.execAndGet("SELECT count(*) FROM flips").getInt(), 9);
    QCOMPARE(db.execAndGet("SELECT acc FROM runs_overview WHERE name = 'without L2H5'").getDouble(), 0.25);
    QCOMPARE(db.execAndGet("SELECT head FROM rankings_overview WHERE position = 0").getString(), std::string("L2H5"));
}

void TestSessionMerge::exportsEscapeNames()
{
    ScoreEntry entry;
    entry.series = series("L2H5 mask:L1H1[q=3,k=4]");
    entry.model = "a_b \"50%\" | c";
    entry.metric = "acc";
    entry.n = 4;
    entry.value = 0.5;
    const std::vector entries{entry};
    const std::string csv = scoreText(entries, TableFormat::Csv);
    QVERIFY(csv.find("\"a_b \"\"50%\"\" | c\",") != std::string::npos);
    QVERIFY(csv.find("\"L2H5 mask:L1H1[q=3,k=4]\"") != std::string::npos);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 2);
    const std::string latex = scoreText(entries, TableFormat::Latex);
    QVERIFY(latex.find("a\\_b \"50\\%\" | c & ") != std::string::npos);
    QVERIFY(latex.find("\\toprule") != std::string::npos);
    QVERIFY(scoreText(entries, TableFormat::Markdown).find("a_b \"50%\" \\| c") != std::string::npos);
    QVERIFY(scoreText(entries, TableFormat::Json).find("\"ablation\": \"L2H5 mask:L1H1[q=3,k=4]\"")
            != std::string::npos);
    QVERIFY(!tableFormat("xls").has_value());
}

QTEST_GUILESS_MAIN(TestSessionMerge)
#include "tst_sessionmerge.moc"
