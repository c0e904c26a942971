// SPDX-License-Identifier: GPL-3.0-or-later
// Files of every earlier schema open, with all they held.
#include "sessions/analyses.h"
#include "sessions/file/maintenance.h"
#include "sessions/file/schema.h"
#include "sessions/merge.h"
#include "sessions/results/comparestates.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

class TestSessionMigration : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void thereIsAFileOfEveryEarlierSchema();
    void upgradesEarlierFiles_data();
    void upgradesEarlierFiles();
    void findsTheNamesThatTheWindowOfSchema4Kept();
    void rowsOfUnknownSourceStayASeriesOfTheirOwn();
    void conventionsBecomeFieldsAndStayApart();
    void whatDidNotSayWhatItWasMeasuredOnStaysBesideWhatDoes();
    void readsEarlierFilesWithoutChangingThem();
    void failedUpgradeLeavesTheFileAsItWas();

private:
    static QString stored(int version)
    {
        return QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/sessions/schema%1.session").arg(version);
    }
    static QByteArray bytes(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void checkContent(SessionStore& session)
    {
        QCOMPARE(*session.uid(), std::string("000102030405060708090a0b0c0d0e0f"));
        QCOMPARE(session.models()->size(), 1U);
        QCOMPARE(session.models()->front().name, std::string("tiny-transformer"));
        QCOMPARE(session.models()->front().parameters, 0);
        QVERIFY(!session.models()->front().tokenizerHash.empty());
        QCOMPARE(*session.exampleCount(), 12);
        QCOMPARE(session.results(series())->size(), 12U);
        const auto scores = *session.scores();
        QCOMPARE(scores.size(), 2U);
        QCOMPARE(scores[0].correct, 12);
        QCOMPARE(scores[1].correct, 3);
        const auto runs = *session.runs();
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[1].name, std::string("without L2H5"));
        QCOMPARE(runs[1].uid, std::string("000102030405060708090a0b0c0d0e0f-2"));
        QVERIFY(runs[1].series == std::vector{series("L2H5")});
        QCOMPARE((**session.uiState("geometry")), std::string("\0\xFF", 2));
        const auto report = verify(session);
        VERIFY_OK(report);
        QCOMPARE(report->problems, std::vector<std::string>());
        QCOMPARE(report->results, 24);
    }
    static void checkWhatSchema2Added(SessionStore& session)
    {
        const auto patterns = *session.patterns();
        QVERIFY(!patterns.empty());
        const auto pattern = session.pattern(patterns.front().id);
        VERIFY_OK(pattern);
        QCOMPARE(pattern->values.values, (std::vector<float>{1.0F, 0.0F, 0.25F, 0.75F}));
        QCOMPARE(session.rankings()->at(0).heads.size(), 2U);
        QCOMPARE(session.rankings()->at(0).heads[0].delta, -0.75);
        QCOMPARE(session.figures()->size(), 1U);
        const auto labels = *session.labels(exampleModel().hash);
        const auto aggregator =
            std::find_if(labels.begin(), labels.end(), [](const HeadLabel& label) { return label.head == "L2H5"; });
        QVERIFY(aggregator != labels.end());
        QCOMPARE(aggregator->name, std::string("the aggregator"));
        QCOMPARE(aggregator->colour, std::string("#cc0000"));
        QCOMPARE(session.tours()->at(0).step, 2);
        QCOMPARE(session.history()->at(0).ablation, std::string("L2H5"));
        QCOMPARE(session.conflicts()->size(), 1U);
    }
    static void checkWhatSchema3Added(SessionStore& session)
    {
        const auto pattern = session.pattern(session.patterns()->front().id);
        VERIFY_OK(pattern);
        QCOMPARE(pattern->source, std::string("toy_kv:pairs=8, sample 0"));
        QCOMPARE(pattern->segments.size(), 2U);
        QCOMPARE(pattern->segments[0].role, Role::Key);
        // What the window of schema 3 kept of its own accord: the name of a head that had no label became one.
        const auto labels = *session.labels(exampleModel().hash);
        QCOMPARE(labels.size(), 2U);
        QCOMPARE(labels[0].head, std::string("L0H1"));
        QCOMPARE(labels[0].name, std::string("the gatherer"));
    }
    // Rows of before do not say which of several continuations was the greedy one; new rows beside them do.
    static void checkWhatSchema5Added(SessionStore& session)
    {
        for (const ResultRecord& before : *session.results(series()))
            QVERIFY(before.greedy.size() < 2);
        const auto some = examples(1);
        VERIFY_OK(session.putResults(series("L1H1"), std::vector{resultFor(some[0], true)}));
        QCOMPARE(session.results(series("L1H1"))->at(0).greedy, (std::vector<bool>{true, false}));
        QCOMPARE(verify(session)->problems, std::vector<std::string>());
    }
};

void TestSessionMigration::thereIsAFileOfEveryEarlierSchema()
{
    for (int version = 1; version < kSchemaVersion; ++version)
        QVERIFY2(QFile::exists(stored(version)), qPrintable(stored(version)));
}

void TestSessionMigration::upgradesEarlierFiles_data()
{
    QTest::addColumn<int>("version");
    for (int version = 1; version < kSchemaVersion; ++version)
        QTest::addRow("schema %d", version) << version;
}

void TestSessionMigration::upgradesEarlierFiles()
{
    QFETCH(int, version);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(version), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    {
        auto session = SessionStore::open(path.toStdString());
        VERIFY_OK(session);
        QCOMPARE(session->notices().size(), 1U);
        const std::string said =
            "upgraded from schema " + std::to_string(version) + " to " + std::to_string(kSchemaVersion);
        QVERIFY(session->notices().front().find(said) != std::string::npos);
        checkContent(*session);
        if (version >= 2)
            checkWhatSchema2Added(*session);
        if (version >= 3)
            checkWhatSchema3Added(*session);
        VERIFY_OK(session->putFigure({"fig 1", "{}", {}}));
    }
    auto again = SessionStore::open(path.toStdString());
    VERIFY_OK(again);
    QVERIFY(again->notices().empty());
    QCOMPARE(again->figures()->size(), 1U);
    checkContent(*again);
    checkWhatSchema5Added(*again);
}

// The table for names came with schema 4, but the window of then went on writing them into its own state.
void TestSessionMigration::findsTheNamesThatTheWindowOfSchema4Kept()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(4), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    {
        SQLite::Database db(path.toStdString(), SQLite::OPEN_READWRITE);
        SQLite::Statement state(db, "INSERT INTO ui_state(key, value) VALUES ('explorer', ?) ON CONFLICT(key) DO "
                                    "UPDATE SET value = excluded.value");
        const std::string names =
            R"({"names": {")" + exampleModel().hash + R"(": {"L1H4": "the late one", "L2H5": "another name"}}})";
        state.bind(1, names.data(), static_cast<int>(names.size()));
        state.exec();
    }
    auto session = SessionStore::open(path.toStdString());
    VERIFY_OK(session);
    const auto labels = *session->labels(exampleModel().hash);
    const auto nameOf = [&labels](const char* head) {
        const auto found =
            std::find_if(labels.begin(), labels.end(), [head](const HeadLabel& label) { return label.head == head; });
        return found == labels.end() ? std::string() : found->name;
    };
    QCOMPARE(nameOf("L1H4"), std::string("the late one"));
    QCOMPARE(nameOf("L2H5"), std::string("the aggregator")); // a label that is there stays
}

// Schema 6 did not tell made-up samples from the rows of a file: what it holds is never added to what is known better.
void TestSessionMigration::rowsOfUnknownSourceStayASeriesOfTheirOwn()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(6), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    auto session = SessionStore::open(path.toStdString());
    VERIFY_OK(session);
    SeriesKey known = series();
    known.rowSource = sha256Hex("rows of a file");
    known.taskVersion = "1.0";
    SeriesKey raised = known;
    raised.taskVersion = "2.0";
    QVERIFY(session->doneExamples(known)->empty());
    std::vector<ResultRecord> results;
    for (const ExampleRecord& example : examples(12))
        results.push_back(resultFor(example, example.row < 5));
    VERIFY_OK(session->putResults(known, results));
    VERIFY_OK(session->putResults(raised, std::vector{results[0]}));
    std::map<std::pair<std::string, std::string>, std::int64_t> right;
    const auto scores = *session->scores();
    for (const SeriesScore& score : scores)
        if (score.series.ablation.empty())
            right[{score.series.rowSource, score.series.taskVersion}] = score.correct;
    QVERIFY((right
             == std::map<std::pair<std::string, std::string>, std::int64_t>{
                 {{"", ""}, 12}, {{known.rowSource, "1.0"}, 5}, {{known.rowSource, "2.0"}, 1}}));
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());
    // Nor are they compared.
    SeriesKey off = known;
    off.ablation = "L2H5";
    VERIFY_OK(session->putResults(off, std::vector{results[11]}));
    const auto changes = compareStates(*session, {known.modelHash, ""}, {known.modelHash, "L2H5"});
    VERIFY_OK(changes);
    QCOMPARE(changes->size(), 1U);
    QCOMPARE(changes->front().n, 1); // rows of known source go before the twelve of the old series
    QCOMPARE(changes->front().first, 0.0);
    SQLite::Database db(path.toStdString(), SQLite::OPEN_READONLY);
    QCOMPARE(db.execAndGet("SELECT count(*) FROM flips").getInt(), 9);
    QCOMPARE(db.execAndGet("SELECT count(*) FROM scores").getInt(), 5);
}

// Schema 7 told of a pattern's convention in a sentence: eight of them are in the file.
void TestSessionMigration::conventionsBecomeFieldsAndStayApart()
{
    using analysis::MatrixConvention;
    using analysis::MatrixKind;
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(7), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    std::map<std::int64_t, std::string> words;
    {
        SQLite::Database db(path.toStdString(), SQLite::OPEN_READONLY);
        for (SQLite::Statement row(db, "SELECT id, convention FROM patterns"); row.executeStep();)
            words[row.getColumn(0).getInt64()] = row.getColumn(1).getString();
    }
    auto session = SessionStore::open(path.toStdString());
    VERIFY_OK(session);
    const auto patterns = *session->patterns();
    QCOMPARE(patterns.size(), 8U);
    std::map<std::string, MatrixConvention> fields;
    for (const PatternInfo& info : patterns) {
        QCOMPARE(conventionText(info), words.at(info.id)); // recipes of before find it by that
        fields[words.at(info.id)] = info.convention;
    }
    const std::string hidden = " (signed, rows do not sum to 1)";
    QVERIFY(fields.at("softmax attention (rows sum to 1)") == MatrixConvention{});
    QVERIFY(fields.at("attention, rows sum to 1") == MatrixConvention{});
    QVERIFY(fields.at("hidden attention, with D" + hidden) == MatrixConvention{.kind = MatrixKind::Hidden});
    QVERIFY((fields.at("hidden attention, without D" + hidden)
             == MatrixConvention{.kind = MatrixKind::Hidden, .withD = false}));
    QVERIFY((fields.at("hidden attention, without D, without dt, times the gate" + hidden)
             == MatrixConvention{.kind = MatrixKind::Hidden, .withD = false, .withDt = false, .withGate = true}));
    QVERIFY(fields.at("hidden attention of a channel, with D" + hidden)
            == MatrixConvention{.kind = MatrixKind::HiddenChannel});
    for (const char* unclear : {"attention", "discrete_mamba2 matrix, signed, with D"})
        QVERIFY(fields.at(unclear) == MatrixConvention{.kind = MatrixKind::Other});
    // Kept again, each pattern is the one that it was.
    for (const PatternInfo& info : patterns) {
        const auto again = session->putPattern(*session->pattern(info.id));
        VERIFY_OK(again);
        QCOMPARE(again->id, info.id);
    }
    QCOMPARE(session->patterns()->size(), 8U);
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());
}

// Before schema 12 a ranking did not say its rows, a pattern not its tokens, an analysis not all of its question.
void TestSessionMigration::whatDidNotSayWhatItWasMeasuredOnStaysBesideWhatDoes()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(11), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    // The file's own is invented; this is the one that schema 11 gave to such a ranking.
    const std::string before = "1aac95b0e74092a4fbe18e89f2610fd23e0e42e5b4d02848287b18116cccaab8";
    SQLite::Database(path.toStdString(), SQLite::OPEN_READWRITE).exec("UPDATE rankings SET uid = '" + before + "'");
    auto session = SessionStore::open(path.toStdString());
    VERIFY_OK(session);
    RankingRecord ranking = session->rankings()->at(0);
    QCOMPARE(ranking.uid, before);
    QCOMPARE(ranking.questionJson, std::string());
    QCOMPARE(*session->addRanking(ranking), before); // the same, so it is not stored again
    std::vector<std::string> uids{before};
    for (const char* question : {R"({"tokenizer":"a"})", R"({"tokenizer":"b"})"}) {
        ranking.questionJson = question;
        uids.push_back(*session->addRanking(ranking));
        QCOMPARE(*session->addRanking(ranking), uids.back());
    }
    const auto rankings = *session->rankings();
    QCOMPARE(rankings.size(), uids.size());
    for (std::size_t i = 0; i < uids.size(); ++i)
        QCOMPARE(rankings[i].uid, uids[i]);
    QCOMPARE(rankings[2].questionJson, std::string(R"({"tokenizer":"b"})"));

    const PatternInfo old = session->patterns()->front();
    PatternRecord pattern = *session->pattern(old.id);
    QCOMPARE(pattern.inputs, std::string());
    const std::size_t patterns = session->patterns()->size();
    pattern.inputs = "other tokens";
    const auto beside = session->putPattern(pattern);
    VERIFY_OK(beside);
    QVERIFY(beside->id != old.id);
    QCOMPARE(session->putPattern(pattern)->id, beside->id);
    QCOMPARE(session->patterns()->size(), patterns + 1);
    QCOMPARE(beside->promptHash, old.promptHash); // they are of one prompt
    QCOMPARE(session->pattern(beside->id)->inputs, std::string("other tokens"));

    const auto lens = newestAnalysis(*session, exampleModel().hash, "lens");
    VERIFY_OK(lens);
    QVERIFY(lens->has_value());
    AnalysisRecord again = **lens;
    QCOMPARE(again.values.size(), 2U);
    again.key.questionJson = R"({"prompt":"the key of a is","version":1})";
    VERIFY_OK(putAnalysis(*session, again));
    QCOMPARE(analyses(*session)->size(), 2U);
    QVERIFY((*storedAnalysis(*session, (*lens)->key)).has_value());
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());

    // A copy that is merged brings nothing twice.
    const QString copy = folder.filePath(QStringLiteral("copy.session"));
    {
        auto other = SessionStore::open(copy.toStdString());
        VERIFY_OK(other);
        for (int time = 0; time < 2; ++time)
            VERIFY_OK(merge(*other, *session));
        QCOMPARE(other->rankings()->size(), uids.size());
        QCOMPARE(other->patterns()->size(), patterns + 1);
        QCOMPARE(analyses(*other)->size(), 2U);
    }
}

void TestSessionMigration::readsEarlierFilesWithoutChangingThem()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(1), path));
    OpenOptions options;
    options.readOnly = true;
    {
        auto session = SessionStore::open(path.toStdString(), options);
        VERIFY_OK(session);
        checkContent(*session);
        QVERIFY(!session->putAblation("L1H1").has_value());
    }
    QCOMPARE(bytes(path), bytes(stored(1)));
}

// The limit lets the file be read but not grow, as a full disk would.
void TestSessionMigration::failedUpgradeLeavesTheFileAsItWas()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.session"));
    QVERIFY(QFile::copy(stored(1), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    OpenOptions options;
    options.maximumBytes = QFile(path).size();
    const auto full = SessionStore::open(path.toStdString(), options);
    QVERIFY(!full.has_value());
    QCOMPARE(full.error().message,
             "Session '" + path.toStdString() + "' could not grow: the disk is full; nothing stored before is lost.");
    auto session = SessionStore::open(path.toStdString());
    VERIFY_OK(session);
    checkContent(*session);
}

QTEST_GUILESS_MAIN(TestSessionMigration)
#include "tst_sessionmigration.moc"
