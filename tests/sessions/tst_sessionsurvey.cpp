// SPDX-License-Identifier: GPL-3.0-or-later
// Surveys come back as they were stored, go on in place, merge so that the one that is further stays, and a row that
// somebody changed is seen.
#include "sessions/file/maintenance.h"
#include "sessions/merge.h"
#include "sessions/sessionstore.h"
#include "sessions/surveys.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

namespace {

StoredSurvey exampleSurvey(std::int64_t tokens = 1000)
{
    StoredSurvey survey;
    survey.record = {
        {exampleModel().hash, sha256Hex("tokenizer"), "fp32", "cpu", "", sha256Hex("texts"), R"({"window":128})", 1},
        "stories (20 bytes)",
        R"({"piece":3})",
        tokens,
        tokens > 5000,
        "2026-01-31T09:30:00Z"};
    const SurveyValue entropy{"entropy", tokens, 0.5, 0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0};
    survey.heads = {{"L0H1", {0.5, 0.25, 0.25}, {entropy}, std::string("\0\1\2", 3) + std::to_string(tokens)},
                    {"L2H5", {1, 0, 0}, {}, "x"}};
    survey.texts = {{"a.txt, byte 0", {"<s>", "one", "two \xF0\x9F\x98\x80"}}, {"b.jsonl, line 3", {"x", "y"}}};
    survey.places = {{"L0H1", "entropy", false, 0, 2.0, 0, 2, {{0, 0.75}, {1, 0.25}}},
                     {"L0H1", "entropy", true, 0, 0.125, 1, 1, {}}};
    return survey;
}

} // namespace

class TestSessionSurvey : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void comesBackAsItWasStored();
    void goesOnInPlace();
    void keepsSurveysOfOtherSettingsApart();
    void refusesPlacesOutsideOfTheTexts();
    void ofTwoTheFurtherOneIsMerged();
    void aChangedRowIsSeen();
    void isShownToPeople();

private:
    SessionStore open(const QString& name = QStringLiteral("a.session"))
    {
        auto session = SessionStore::open(path(name));
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        if (session->models()->empty() && !session->putModel(exampleModel()).has_value())
            qFatal("no model");
        return std::move(*session);
    }
    std::string path(const QString& name = QStringLiteral("a.session")) const
    {
        return m_folder->filePath(name).toStdString();
    }
    static void put(SessionStore& session, const StoredSurvey& survey)
    {
        VERIFY_OK(putSurvey(session, survey.record, survey.heads));
        VERIFY_OK(putSurveyPlaces(session, survey.record, survey.places, survey.texts));
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionSurvey::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestSessionSurvey::comesBackAsItWasStored()
{
    const StoredSurvey survey = exampleSurvey();
    {
        SessionStore session = open();
        put(session, survey);
    }
    SessionStore session = open();
    const auto stored = sessions::survey(session, survey.record.key);
    VERIFY_OK(stored);
    QVERIFY(stored->has_value() && **stored == survey);
    QCOMPARE(surveys(session)->size(), 1U);
    QVERIFY(surveys(session)->front() == survey.record);
    QCOMPARE(verify(session)->problems, std::vector<std::string>());
}

void TestSessionSurvey::goesOnInPlace()
{
    SessionStore session = open();
    put(session, exampleSurvey(1000));
    const StoredSurvey further = exampleSurvey(9000);
    VERIFY_OK(putSurvey(session, further.record, further.heads));
    QCOMPARE(surveys(session)->size(), 1U);
    QCOMPARE(surveys(session)->front().tokens, 9000);
    QVERIFY(surveys(session)->front().finished);
    // Places are those of before until they are stored again.
    QVERIFY((*sessions::survey(session, further.record.key))->heads == further.heads);
    QCOMPARE((*sessions::survey(session, further.record.key))->places.size(), 2U);
}

void TestSessionSurvey::keepsSurveysOfOtherSettingsApart()
{
    SessionStore session = open();
    StoredSurvey other = exampleSurvey(2000);
    other.record.key.settingsJson = R"({"window":64})";
    put(session, exampleSurvey());
    put(session, other);
    QCOMPARE(surveys(session)->size(), 2U);
    QCOMPARE((*sessions::survey(session, other.record.key))->record.tokens, 2000);
    other.record.key.texts = "another";
    QVERIFY(!sessions::survey(session, other.record.key)->has_value());
}

void TestSessionSurvey::refusesPlacesOutsideOfTheTexts()
{
    SessionStore session = open();
    StoredSurvey survey = exampleSurvey();
    QVERIFY(!putSurveyPlaces(session, survey.record, survey.places, survey.texts).has_value()); // not stored yet
    put(session, survey);
    survey.places[0].position = 3;
    QVERIFY(!putSurveyPlaces(session, survey.record, survey.places, survey.texts).has_value());
    survey.places[0] = survey.places[1];
    survey.places[0].text = 2;
    QVERIFY(!putSurveyPlaces(session, survey.record, survey.places, survey.texts).has_value());
    QVERIFY(**sessions::survey(session, survey.record.key) == exampleSurvey()); // nothing was changed
    survey.record.key.modelHash = "unknown";
    QVERIFY(!putSurvey(session, survey.record, survey.heads).has_value());
}

void TestSessionSurvey::ofTwoTheFurtherOneIsMerged()
{
    SessionStore mine = open();
    SessionStore theirs = open(QStringLiteral("b.session"));
    put(mine, exampleSurvey(1000));
    put(theirs, exampleSurvey(9000));
    QCOMPARE(merge(mine, theirs)->surveys, 1);
    QVERIFY(**sessions::survey(mine, exampleSurvey().record.key) == [] {
        StoredSurvey expected = exampleSurvey(9000);
        return expected;
    }());
    QCOMPARE(merge(mine, theirs)->surveys, 0);
    QCOMPARE(merge(theirs, mine)->surveys, 0);
    QCOMPARE(verify(mine)->problems, std::vector<std::string>());
}

void TestSessionSurvey::aChangedRowIsSeen()
{
    const StoredSurvey survey = exampleSurvey();
    {
        SessionStore session = open();
        put(session, survey);
    }
    SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("UPDATE survey_heads SET data = x'00' WHERE head = 'L2H5'");
    SessionStore session = open();
    QCOMPARE(verify(session)->problems.size(), 1U);
    QVERIFY(!sessions::survey(session, survey.record.key).has_value());
}

void TestSessionSurvey::isShownToPeople()
{
    {
        SessionStore session = open();
        put(session, exampleSurvey());
    }
    SQLite::Database db(path(), SQLite::OPEN_READONLY);
    SQLite::Statement row(db, "SELECT model, head, metric, mean, largest FROM surveys_overview");
    QVERIFY(row.executeStep());
    QCOMPARE(row.getColumn(0).getString(), std::string("tiny-transformer"));
    QCOMPARE(row.getColumn(1).getString(), std::string("L0H1"));
    QCOMPARE(row.getColumn(3).getDouble(), 0.5);
    QVERIFY(!row.executeStep());
}

QTEST_GUILESS_MAIN(TestSessionSurvey)
#include "tst_sessionsurvey.moc"
