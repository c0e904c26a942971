// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses come back as they were stored, the newest in the place of the same one before, merge once, and a number that
// somebody changed is seen.
#include "sessions/analyses.h"
#include "sessions/file/maintenance.h"
#include "sessions/merge.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

namespace {

AnalysisRecord example(double share = 0.5)
{
    AnalysisRecord record{.key = {exampleModel().hash, "patching", "fp32", "cpu", "L0H1", R"({"pairs":8})"},
                          .source = "toy_kv:pairs=8, sample 3",
                          .summary = "L2H5 \xE2\x80\x9C"
                                     "17\xE2\x80\x9D",
                          .created = "2026-01-31T09:30:00Z"};
    record.values = {{.part = "L2H5", .measure = "share", .value = share, .low = share - 0.125, .high = share + 0.125},
                     {.part = "L1H2", .receiver = "L2H5.k", .position = 3, .measure = "share", .value = std::nan("")},
                     {.part = "L0", .position = 0, .measure = "probability", .value = 1, .low = -0.0, .words = "17"}};
    return record;
}

void compare(const AnalysisRecord& a, const AnalysisRecord& b)
{
    QCOMPARE(a.key, b.key);
    QCOMPARE(a.source, b.source);
    QCOMPARE(a.summary, b.summary);
    QCOMPARE(a.created, b.created);
    QCOMPARE(a.values.size(), b.values.size());
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const AnalysisValue &x = a.values[i], &y = b.values[i];
        QVERIFY(x.part == y.part && x.receiver == y.receiver && x.position == y.position && x.measure == y.measure
                && x.words == y.words);
        for (const auto& [p, q] : {std::pair(x.value, y.value), std::pair(x.low, y.low), std::pair(x.high, y.high)})
            QVERIFY(p == q || (std::isnan(p) && std::isnan(q)));
    }
}

} // namespace

class TestSessionAnalyses : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void comesBackAsItWasStored();
    void theNewestTakesThePlaceOfTheSameQuestion();
    void mergesOnce();
    void aChangedNumberIsSeen();
    void isShownToPeople();

private:
    SessionStore open(const QString& name = QStringLiteral("a.session"))
    {
        auto session = SessionStore::open(path(name));
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        if (const auto put = session->putModel(exampleModel()); !put.has_value())
            qFatal("%s", put.error().message.c_str());
        return std::move(*session);
    }
    std::filesystem::path path(const QString& name = QStringLiteral("a.session")) const
    {
        return m_folder->filePath(name).toStdString();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionAnalyses::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestSessionAnalyses::comesBackAsItWasStored()
{
    SessionStore session = open();
    QVERIFY(!newestAnalysis(session, {}, "patching")->has_value());
    QVERIFY(putAnalysis(session, example()).has_value());
    const auto kept = newestAnalysis(session, exampleModel().hash, "patching");
    QVERIFY2(kept.has_value() && kept->has_value(), kept.has_value() ? "" : kept.error().message.c_str());
    compare(**kept, example());
    QVERIFY(!newestAnalysis(session, exampleModel().hash, "probe")->has_value());
    AnalysisRecord stranger = example();
    stranger.key.modelHash = sha256Hex("another");
    QVERIFY(!putAnalysis(session, stranger).has_value());
}

void TestSessionAnalyses::theNewestTakesThePlaceOfTheSameQuestion()
{
    SessionStore session = open();
    QVERIFY(putAnalysis(session, example(0.25)).has_value() && putAnalysis(session, example(0.75)).has_value());
    AnalysisRecord other = example();
    other.key.questionJson = R"({"pairs":64})";
    QVERIFY(putAnalysis(session, other).has_value());
    const auto all = analyses(session);
    QCOMPARE(all->size(), 2U);
    QVERIFY(all->front().values.empty());
    compare(**newestAnalysis(session, {}, "patching"), other);
    QVERIFY(putAnalysis(session, example(0.75)).has_value());
    compare(**newestAnalysis(session, {}, "patching"), example(0.75));
    QCOMPARE(analyses(session)->size(), 2U);
}

void TestSessionAnalyses::mergesOnce()
{
    {
        SessionStore theirs = open(QStringLiteral("b.session"));
        QVERIFY(putAnalysis(theirs, example()).has_value());
    }
    SessionStore session = open();
    SessionStore theirs = open(QStringLiteral("b.session"));
    const auto first = merge(session, theirs);
    QVERIFY2(first.has_value(), first.has_value() ? "" : first.error().message.c_str());
    QVERIFY(merge(session, theirs).has_value());
    QCOMPARE(analyses(session)->size(), 1U);
    compare(**newestAnalysis(session, {}, "patching"), example());
}

void TestSessionAnalyses::aChangedNumberIsSeen()
{
    {
        SessionStore session = open();
        QVERIFY(putAnalysis(session, example()).has_value());
        QVERIFY(verify(session)->problems.empty());
    }
    {
        SQLite::Database db(path().string(), SQLite::OPEN_READWRITE);
        db.exec("UPDATE analysis_values SET value = 0.99 WHERE part = 'L2H5'");
    }
    SessionStore session = open();
    QVERIFY(!newestAnalysis(session, {}, "patching").has_value());
    const auto report = verify(session);
    QCOMPARE(report->problems.size(), 1U);
    QVERIFY(report->problems.front().find("patching") != std::string::npos);
}

void TestSessionAnalyses::isShownToPeople()
{
    SessionStore session = open();
    QVERIFY(putAnalysis(session, example()).has_value());
    SQLite::Database db(path().string(), SQLite::OPEN_READONLY);
    SQLite::Statement rows(db, "SELECT model, kind, ablation, part, receiver, position, value FROM analyses_overview");
    QVERIFY(rows.executeStep());
    QCOMPARE(rows.getColumn(1).getString(), std::string("patching"));
    QCOMPARE(rows.getColumn(3).getString(), std::string("L2H5"));
    QVERIFY(rows.getColumn(4).isNull() && rows.getColumn(5).isNull());
    QCOMPARE(rows.getColumn(6).getDouble(), 0.5);
    QVERIFY(rows.executeStep());
    QCOMPARE(rows.getColumn(4).getString(), std::string("L2H5.k"));
    QVERIFY(rows.getColumn(6).isNull());
}

QTEST_GUILESS_MAIN(TestSessionAnalyses)
#include "tst_sessionanalyses.moc"
