// SPDX-License-Identifier: GPL-3.0-or-later
// Answers come back as they were given: a prediction cannot be changed behind the evidence, what is done or written
// can.
#include "sessions/answers.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

class TestSessionAnswers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void comeBackAsTheyWereGiven();
    void aPredictionStays();
    void whatIsDoneOrWrittenCanBeDoneBetter();
    void aRowOfAnotherKindIsRefused();

private:
    static Answer choice(int step, const std::string& words, bool right)
    {
        return {"one-head", step, "What falls?", AnswerKind::Choice, words, right, "think", 12.5};
    }
    /// Without the time, which the store sets.
    static std::vector<Answer> stored(SessionStore& session)
    {
        auto all = answers(session);
        if (!all.has_value())
            qFatal("%s", all.error().message.c_str());
        for (Answer& answer : *all) {
            if (answer.created.size() != 20)
                qFatal("An answer has no time.");
            answer.created.clear();
        }
        return *all;
    }
    QTemporaryDir m_folder;
    std::string path()
    {
        return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction())).toStdString() + ".session";
    }
};

void TestSessionAnswers::comeBackAsTheyWereGiven()
{
    const Answer open{"exercises", 3, "Why <b>?", AnswerKind::Open, "Because it's \"free\"\n\xC3\xA4", {}, {}, 100};
    const Answer check{"exercises", 0, "Lower KV", AnswerKind::Check, "KV 0.04", true, {}, 3};
    {
        auto session = SessionStore::open(path());
        VERIFY_OK(session);
        for (const Answer& answer : {choice(1, "both", false), open, check})
            VERIFY_OK(putAnswer(*session, answer));
    }
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    QVERIFY(stored(*session) == (std::vector{check, open, choice(1, "both", false)}));
}

void TestSessionAnswers::aPredictionStays()
{
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    VERIFY_OK(putAnswer(*session, choice(0, "both", false)));
    VERIFY_OK(putAnswer(*session, choice(0, "facts", true)));
    QVERIFY(stored(*session) == std::vector{choice(0, "both", false)});
}

void TestSessionAnswers::whatIsDoneOrWrittenCanBeDoneBetter()
{
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    Answer answer{"exercises", 2, "Why?", AnswerKind::Open, "no idea", {}, {}, 1};
    VERIFY_OK(putAnswer(*session, answer));
    answer.answer = "It reads, but nothing reads it.";
    VERIFY_OK(putAnswer(*session, answer));
    QVERIFY(stored(*session) == std::vector{answer});
}

void TestSessionAnswers::aRowOfAnotherKindIsRefused()
{
    {
        auto session = SessionStore::open(path());
        VERIFY_OK(session);
        VERIFY_OK(putAnswer(*session, choice(0, "both", false)));
    }
    {
        SQLite::Database db(path(), SQLite::OPEN_READWRITE);
        db.exec("PRAGMA ignore_check_constraints = ON; UPDATE answers SET kind = 'rumour'");
    }
    auto session = SessionStore::open(path());
    if (session.has_value())
        QVERIFY(!answers(*session).has_value());
}

QTEST_GUILESS_MAIN(TestSessionAnswers)
#include "tst_sessionanswers.moc"
