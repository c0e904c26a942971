// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions from people who mean harm, or with damage inside: one sentence each.
#include "sessions/file/maintenance.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

class TestSessionContent : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void refusesForeignSchemas_data();
    void refusesForeignSchemas();
    void refusesWrongValues_data();
    void refusesWrongValues();
    void hostileHeadsStopPatternsOfStates();
    void verifyAddsUpAndReadsModels();
    void survivesFlippedBytes();

private:
    [[nodiscard]] std::string path(const char* name = "a.session") const
    {
        return m_folder->filePath(QString::fromUtf8(name)).toStdString();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionContent::refusesForeignSchemas_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("finding");
    QTest::newRow("trigger") << QStringLiteral("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM runs; END")
                             << QStringLiteral("has the trigger 't'");
    QTest::newRow("view") << QStringLiteral("CREATE VIEW v AS SELECT load_extension('x')")
                          << QStringLiteral("has the view 'v'");
    QTest::newRow("our view changed") << QStringLiteral(
        "DROP VIEW scores; CREATE VIEW scores AS SELECT load_extension('x')")
                                      << QStringLiteral("another definition of the view 'scores'");
    QTest::newRow("our view of itself") << QStringLiteral(
        "DROP VIEW scores; CREATE VIEW scores AS SELECT * FROM scores")
                                        << QStringLiteral("another definition of the view 'scores'");
    QTest::newRow("our view without end")
        << QStringLiteral("DROP VIEW scores; CREATE VIEW scores AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i "
                          "+ 1 FROM n) SELECT i FROM n")
        << QStringLiteral("another definition of the view 'scores'");
    QTest::newRow("virtual table") << QStringLiteral("CREATE VIRTUAL TABLE f USING fts5(x)")
                                   << QStringLiteral("has the table 'f");
    QTest::newRow("table") << QStringLiteral("CREATE TABLE extra(a)") << QStringLiteral("has the table 'extra'");
    QTest::newRow("column") << QStringLiteral("ALTER TABLE models ADD COLUMN extra TEXT")
                            << QStringLiteral("another definition of the table 'models'");
    QTest::newRow("computed column") << QStringLiteral("ALTER TABLE models ADD COLUMN e TEXT AS (upper(name))")
                                     << QStringLiteral("another definition of the table 'models'");
    QTest::newRow("index on expression") << QStringLiteral("CREATE INDEX i ON models(upper(name))")
                                         << QStringLiteral("has the index 'i'");
    QTest::newRow("missing table") << QStringLiteral("DROP TABLE run_series") << QStringLiteral("lacks the");
    QTest::newRow("malformed") << QStringLiteral(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE' WHERE name = 'runs'")
                               << QStringLiteral("damaged");
}

void TestSessionContent::refusesForeignSchemas()
{
    QFETCH(QString, sql);
    QFETCH(QString, finding);
    QCOMPARE(fillFile(path()), std::string());
    SQLite::Database(path(), SQLite::OPEN_READWRITE).exec(sql.toStdString());
    const auto session = SessionStore::open(path());
    QVERIFY(!session.has_value());
    QVERIFY2(session.error().message.find(finding.toStdString()) != std::string::npos, session.error().message.c_str());
    QVERIFY(session.error().message.starts_with("Session '" + path() + "' is "));
}

// The checks of STRICT tables are switched off while the values are written, as a hostile writer would.
void TestSessionContent::refusesWrongValues_data()
{
    QTest::addColumn<QString>("sql");
    QTest::newRow("text for a number") << QStringLiteral("UPDATE examples SET row = 'many' WHERE id = 3");
    QTest::newRow("bytes for text") << QStringLiteral("UPDATE examples SET context = x'00' WHERE id = 3");
    QTest::newRow("no list") << QStringLiteral("UPDATE examples SET continuations = '{}' WHERE id = 3");
    QTest::newRow("list of numbers") << QStringLiteral("UPDATE examples SET continuations = '[1]' WHERE id = 3");
    QTest::newRow("number out of range") << QStringLiteral("UPDATE examples SET row = 99999999999 WHERE id = 3");
    QTest::newRow("model of endless layers") << QStringLiteral("UPDATE models SET layers = 2000000000");
    QTest::newRow("heads without end") << QStringLiteral("UPDATE models SET heads = printf('%.*c', 1000000, '[')");
    QTest::newRow("heads too long") << QStringLiteral("UPDATE models SET heads = printf('%.*c', 5000000, ' ')");
    QTest::newRow("extra without end") << QStringLiteral(
        "UPDATE examples SET extra = printf('%.*c', 1000000, '[') WHERE id = 3");
    QTest::newRow("extra too long") << QStringLiteral(
        "UPDATE examples SET extra = printf('%.*c', 17000000, ' ') WHERE id = 3");
    QTest::newRow("list without end") << QStringLiteral(
        "UPDATE examples SET continuations = printf('%.*c', 1000000, '[') WHERE id = 3");
    QTest::newRow("segments without end")
        << QStringLiteral("UPDATE patterns SET segments = printf('%.*c', 100000, '[')");
    QTest::newRow("window state too long")
        << QStringLiteral("UPDATE ui_state SET value = zeroblob(60000000) WHERE key = 'geometry'");
    QTest::newRow("totals below nothing") << QStringLiteral("UPDATE series_totals SET n = -5, correct = -5");
    QTest::newRow("more right than scored") << QStringLiteral("UPDATE series_totals SET correct = 10000");
    QTest::newRow("huge") << QStringLiteral("UPDATE examples SET context = printf('%.*c', 67108865, 'x') WHERE id = 3");
    QTest::newRow("pattern size") << QStringLiteral("UPDATE patterns SET rows = 16384, cols = 16384");
    QTest::newRow("pattern negative") << QStringLiteral("UPDATE patterns SET rows = -2");
    QTest::newRow("pattern encoding") << QStringLiteral("UPDATE patterns SET encoding = 'other'");
    QTest::newRow("pattern labels") << QStringLiteral("UPDATE patterns SET tokens = '[]'");
    QTest::newRow("likelihoods") << QStringLiteral("UPDATE results SET log_likelihoods = '[1,,2]'");
    QTest::newRow("likelihoods open") << QStringLiteral("UPDATE results SET log_likelihoods = '[1,'");
    QTest::newRow("likelihoods words") << QStringLiteral("UPDATE results SET log_likelihoods = '[one]'");
}

void TestSessionContent::refusesWrongValues()
{
    QFETCH(QString, sql);
    QCOMPARE(fillFile(path()), std::string());
    {
        SQLite::Database db(path(), SQLite::OPEN_READWRITE);
        db.exec("PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON;");
        db.exec("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE type = 'table' AND sql NOT LIKE "
                "'%WITHOUT ROWID%'");
    }
    SQLite::Database(path(), SQLite::OPEN_READWRITE).exec(sql.toStdString());
    {
        SQLite::Database db(path(), SQLite::OPEN_READWRITE);
        db.exec("PRAGMA writable_schema = ON;");
        db.exec("UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE type = 'table' AND sql NOT LIKE '%STRICT%'");
    }
    auto session = SessionStore::open(path());
    std::string said;
    if (!session.has_value()) {
        said = session.error().message;
    } else {
        const auto ids = *session->exampleIds("toy_kv:pairs=8");
        if (const auto all = session->examples(ids); !all.has_value())
            said = all.error().message;
        else if (const auto results = session->results(series()); !results.has_value())
            said = results.error().message;
        else if (const auto pattern = session->pattern(1); !pattern.has_value())
            said = pattern.error().message;
        else if (const auto models = session->models(); !models.has_value())
            said = models.error().message;
        else if (const auto state = session->uiState("geometry"); !state.has_value())
            said = state.error().message;
        else if (const auto scores = session->scores(); !scores.has_value())
            said = scores.error().message;
    }
    QVERIFY2(said.starts_with("Session '" + path() + "' is damaged: ")
                 || said.starts_with("Session '" + path() + "' was refused a value larger"),
             said.c_str());
    QCOMPARE(std::count(said.begin(), said.end(), '\n'), 0);
}

// What a pattern of a state says of D is read from its model.
void TestSessionContent::hostileHeadsStopPatternsOfStates()
{
    QCOMPARE(fillFile(path()), std::string());
    SQLite::Database(path(), SQLite::OPEN_READWRITE)
        .exec("UPDATE patterns SET matrix = 'hidden'; UPDATE models SET heads = printf('%.*c', 1000000, '[')");
    auto session = SessionStore::open(path());
    QVERIFY(session.has_value());
    const auto all = session->patterns();
    const auto one = session->pattern(1);
    QVERIFY(!all.has_value() && !one.has_value());
    for (const std::string& said : {all.error().message, one.error().message})
        QVERIFY2(said.find("nests deeper than 64 levels") != std::string::npos, said.c_str());
}

void TestSessionContent::verifyAddsUpAndReadsModels()
{
    QCOMPARE(fillFile(path()), std::string());
    const auto problems = [this](const char* sql) {
        SQLite::Database(path(), SQLite::OPEN_READWRITE).exec(sql);
        auto session = SessionStore::open(path());
        const auto report = session.has_value() ? verify(*session) : Result<VerifyReport>(session.error());
        return report.has_value() ? report->problems : std::vector{report.error().message};
    };
    QCOMPARE(problems("SELECT 1"), std::vector<std::string>());
    QCOMPARE(problems("UPDATE series_totals SET correct = correct - 1 WHERE series_id = 1"),
             std::vector<std::string>{"The totals of series 1 (task toy_kv:pairs=8) are not the sums of its results."});
    QCOMPARE(problems("DELETE FROM series_totals").size(), 2U);
    QCOMPARE(problems("UPDATE models SET layers = -5").back(),
             "Session '" + path() + "' is damaged: a model has -5 layers, expected 0 to 10000.");
    QVERIFY(problems("UPDATE models SET layers = 3, heads = 'none'").back().find("does not say which heads")
            != std::string::npos);
}

// Whatever a byte is changed to, opening ends in a session or in one sentence.
void TestSessionContent::survivesFlippedBytes()
{
    QCOMPARE(fillFile(path()), std::string());
    QFile file(QString::fromStdString(path()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray sound = file.readAll();
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 150; ++round) {
        QByteArray bytes = sound;
        for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips)
            bytes[static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()))] = static_cast<char>(random());
        if (round % 10 == 0)
            bytes.truncate(static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size())));
        const std::string copy = path("flipped.session");
        for (const char* part : {"", "-wal", "-shm"})
            QFile::remove(QString::fromStdString(copy + part));
        QFile changed(QString::fromStdString(copy));
        QVERIFY(changed.open(QIODevice::WriteOnly));
        changed.write(bytes);
        changed.close();
        OpenOptions options;
        options.readOnly = round % 4 != 0;
        auto session = SessionStore::open(copy, options);
        if (!session.has_value()) {
            ++refused;
            QVERIFY(session.error().message.ends_with("."));
            QCOMPARE(std::count(session.error().message.begin(), session.error().message.end(), '\n'), 0);
        } else {
            readEverything(*session);
            const auto report = verify(*session);
            QVERIFY(report.has_value() || report.error().message.ends_with("."));
        }
    }
    QVERIFY(refused > 0);
}

QTEST_GUILESS_MAIN(TestSessionContent)
#include "tst_sessioncontent.moc"
