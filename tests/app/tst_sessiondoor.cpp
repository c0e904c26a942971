// SPDX-License-Identifier: GPL-3.0-or-later
// The window's door to its session: each question ends once and here, whatever becomes of the file meanwhile.
#include "app/backend/session/filerequests.h"
#include "app/backend/session/keeprequests.h"
#include "app/backend/session/runrequests.h"
#include "tests/support/sessionfixture.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace headscope;
using namespace headscope::testing;
using app::SessionDoor;
using app::SessionRequest;

namespace {

constexpr int kWait = 60000;

} // namespace

class TestSessionDoor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachQuestionEndsOnceAndHere();
    void answersComeInTheOrderOfTheQuestions();
    void onlyTheLatestOfALaneIsAnswered();
    void nothingIsAnsweredToWhoIsGone();
    void withoutASessionTheAnswerIsAnError();
    void aFileThatIsNoSessionIsAProblem();
    void closingWhileBusyCancelsWhatIsRead();
    void closingWhileBusyKeepsWhatIsWritten();
    void anotherSessionNeverGetsTheOldOnesAnswers();
    void aReadOnlyFileIsReadAndNotWritten();
    void aFileThatIsGoneIsToldOf();
    void tellsWhenSomebodyElseWrites();
    void keepsTheModelBeforeWhatNamesIt();
    void knowsWhatWasAskedForByHand();
    void aScoreThatWasMeasuredAgainReplacesTheFirst();

private:
    [[nodiscard]] std::filesystem::path file() const
    {
        return m_folder.filePath(QLatin1StringView(QTest::currentTestFunction())).toStdString();
    }
    /// Opens the file of this test, filled.
    void open(SessionDoor& door) const
    {
        QCOMPARE(fillFile(file().string()), std::string());
        QSignalSpy opened(&door, &SessionDoor::opened);
        door.open(file());
        QVERIFY(door.isOpen());
        QVERIFY(opened.wait(kWait));
    }
    /// Waits on the door's thread until it is released.
    [[nodiscard]] static SessionRequest<bool> held(QSemaphore& begun, QSemaphore& release)
    {
        return [&begun, &release](sessions::SessionStore&) -> Result<bool> {
            begun.release();
            release.acquire();
            return true;
        };
    }

    QTemporaryDir m_folder;
};

void TestSessionDoor::eachQuestionEndsOnceAndHere()
{
    SessionDoor door;
    open(door);
    int ends = 0;
    QThread* reading = nullptr;
    QThread* answered = nullptr;
    door.ask<std::size_t>(
        this,
        [&reading](sessions::SessionStore& session) -> Result<std::size_t> {
            reading = QThread::currentThread();
            return session.runs()->size();
        },
        [&](const Result<std::size_t>& runs) {
            answered = QThread::currentThread();
            VERIFY_OK(runs);
            QCOMPARE(*runs, 1U);
            ++ends;
        });
    QCOMPARE(ends, 0); // never from within the question
    QVERIFY(QTest::qWaitFor([&] { return ends > 0; }, kWait));
    QTest::qWait(50);
    QCOMPARE(ends, 1);
    QCOMPARE(answered, QThread::currentThread());
    QVERIFY(reading != answered);
}

void TestSessionDoor::answersComeInTheOrderOfTheQuestions()
{
    SessionDoor door;
    open(door);
    std::vector<int> order;
    for (int i = 0; i < 20; ++i)
        door.ask<int>(
            this, [i](sessions::SessionStore&) -> Result<int> { return i; },
            [&order](const Result<int>& answer) { order.push_back(*answer); });
    QVERIFY(QTest::qWaitFor([&] { return order.size() == 20; }, kWait));
    QVERIFY(std::is_sorted(order.begin(), order.end()));
}

void TestSessionDoor::onlyTheLatestOfALaneIsAnswered()
{
    SessionDoor door;
    open(door);
    QSemaphore begun, release;
    bool free = false;
    door.ask<bool>(this, held(begun, release), [&free](const Result<bool>&) { free = true; });
    begun.acquire();
    std::vector<int> read, answered, others;
    const auto ask = [&](const std::string& lane, int number, std::vector<int>& to) {
        door.askLatest<int>(
            this, lane,
            [&read, number](sessions::SessionStore&) -> Result<int> {
                read.push_back(number);
                return number;
            },
            [&to](const Result<int>& answer) { to.push_back(*answer); });
    };
    ask("scores", 1, answered);
    ask("scores", 2, answered);
    ask("pattern", 3, others);
    ask("scores", 4, answered);
    release.release();
    QVERIFY(QTest::qWaitFor([&] { return !answered.empty(); }, kWait));
    QVERIFY(free);
    QCOMPARE(answered, std::vector<int>{4});
    QCOMPARE(others, std::vector<int>{3});
    QCOMPARE(read, (std::vector<int>{3, 4})); // what nobody waits for is not read
    // One that was read already is dropped on the way back.
    ask("scores", 5, answered);
    QVERIFY(QTest::qWaitFor([&] { return answered.size() == 2; }, kWait));
    QCOMPARE(answered.back(), 5);
}

void TestSessionDoor::nothingIsAnsweredToWhoIsGone()
{
    SessionDoor door;
    open(door);
    bool answered = false, after = false;
    {
        QObject context;
        door.ask<std::vector<sessions::ModelRecord>>(&context, app::storedModels(),
                                                     [&answered](const auto&) { answered = true; });
    }
    door.ask<std::vector<sessions::ModelRecord>>(this, app::storedModels(), [&after](const auto&) { after = true; });
    QVERIFY(QTest::qWaitFor([&] { return after; }, kWait));
    QVERIFY(!answered);
}

void TestSessionDoor::withoutASessionTheAnswerIsAnError()
{
    SessionDoor door;
    std::string sentence;
    door.ask<std::vector<sessions::ModelRecord>>(this, app::storedModels(),
                                                 [&sentence](const auto& models) { sentence = failure(models); });
    QVERIFY(QTest::qWaitFor([&] { return !sentence.empty(); }, kWait));
    QCOMPARE(sentence, std::string("No session is open."));
    QVERIFY(!door.isOpen());
}

void TestSessionDoor::aFileThatIsNoSessionIsAProblem()
{
    QFile noise(file());
    QVERIFY(noise.open(QIODevice::WriteOnly) && noise.write(QByteArray(5000, 'x')) > 0);
    noise.close();
    SessionDoor door;
    QSignalSpy problems(&door, &SessionDoor::problem), opened(&door, &SessionDoor::opened);
    bool ended = false;
    door.open(file());
    door.keep(app::keepUiState("window", "{}")); // says nothing of its own
    door.ask<std::vector<sessions::ModelRecord>>(this, app::storedModels(),
                                                 [&ended](const auto& models) { ended = !models.has_value(); });
    QVERIFY(QTest::qWaitFor([&] { return ended; }, kWait));
    QCOMPARE(problems.size(), 1);
    QVERIFY2(problems[0][0].toString().contains(QStringLiteral("is not a session")),
             qPrintable(problems[0][0].toString()));
    QVERIFY(opened.isEmpty() && !door.isOpen());
}

void TestSessionDoor::closingWhileBusyCancelsWhatIsRead()
{
    SessionDoor door;
    open(door);
    QSemaphore begun, release;
    std::vector<Error::Kind> ends;
    bool read = false;
    door.ask<bool>(this, held(begun, release), [&ends](const Result<bool>& answer) {
        ends.push_back(answer.has_value() ? Error::Kind::Internal : answer.error().kind);
    });
    door.ask<bool>(
        this, [&read](sessions::SessionStore&) -> Result<bool> { return read = true; },
        [&ends](const Result<bool>& answer) {
            ends.push_back(answer.has_value() ? Error::Kind::Internal : answer.error().kind);
        });
    begun.acquire();
    door.close(); // returns although the thread is busy
    QVERIFY(!door.isOpen());
    release.release();
    QVERIFY(QTest::qWaitFor([&] { return ends.size() == 2; }, kWait));
    QCOMPARE(ends, (std::vector<Error::Kind>{Error::Kind::Cancelled, Error::Kind::Cancelled}));
    QVERIFY(!read);
}

void TestSessionDoor::closingWhileBusyKeepsWhatIsWritten()
{
    {
        SessionDoor door;
        open(door);
        QSemaphore begun, release;
        door.ask<bool>(this, held(begun, release), [](const Result<bool>&) {});
        begun.acquire();
        door.keep(app::keepUiState("window", "as it was left"));
        release.release();
    }
    auto session = sessions::SessionStore::open(file());
    VERIFY_OK(session);
    QCOMPARE(session->uiState("window")->value_or(""), std::string("as it was left"));
}

void TestSessionDoor::anotherSessionNeverGetsTheOldOnesAnswers()
{
    SessionDoor door;
    open(door);
    QSemaphore begun, release;
    std::vector<bool> ends;
    door.ask<bool>(this, held(begun, release),
                   [&ends](const Result<bool>& answer) { ends.push_back(answer.has_value()); });
    begun.acquire();
    door.open(file().string() + ".other");
    door.ask<bool>(
        this, [](sessions::SessionStore& session) -> Result<bool> { return session.models()->empty(); },
        [&ends](const Result<bool>& empty) { ends.push_back(empty.has_value() && *empty); });
    release.release();
    QVERIFY(QTest::qWaitFor([&] { return ends.size() == 2; }, kWait));
    QCOMPARE(ends, (std::vector<bool>{false, true}));
    QVERIFY(door.facts()->path.string().ends_with(".other"));
}

void TestSessionDoor::aReadOnlyFileIsReadAndNotWritten()
{
    QCOMPARE(fillFile(file().string()), std::string());
    std::filesystem::permissions(file(), std::filesystem::perms::owner_read);
    if (QFileInfo(file()).isWritable())
        QSKIP("root may write whatever the file says");
    SessionDoor door;
    QSignalSpy opened(&door, &SessionDoor::opened), problems(&door, &SessionDoor::problem);
    door.open(file());
    QVERIFY(opened.wait(kWait));
    QVERIFY(door.readOnly());
    QCOMPARE(door.facts()->notices.size(), 1U);
    door.keep(app::keepUiState("geometry", "changed"));
    std::string kept, refused;
    door.write<void>(this, app::keepUiState("geometry", "changed"),
                     [&refused](const Result<void>& answer) { refused = failure(answer); });
    door.ask<std::optional<std::string>>(this, app::uiState("geometry"),
                                         [&kept](const auto& state) { kept = state->value_or(""); });
    QVERIFY(QTest::qWaitFor([&] { return !kept.empty(); }, kWait));
    QCOMPARE(kept, std::string("bytes"));
    QVERIFY(problems.isEmpty());
    QVERIFY(refused.find("read-only") != std::string::npos);
}

void TestSessionDoor::aFileThatIsGoneIsToldOf()
{
    SessionDoor door;
    open(door);
    QSignalSpy problems(&door, &SessionDoor::problem);
    std::filesystem::remove(file());
    door.keep(app::keepUiState("window", "{}"));
    QVERIFY(problems.wait(kWait));
    QVERIFY(problems[0][0].toString().contains(QStringLiteral("was removed or replaced")));
    // What it held is still there to be read, and to be saved elsewhere.
    std::string problem = "none";
    door.write<void>(this, app::saveSessionAs(file().string() + ".saved"),
                     [&problem](const Result<void>& saved) { problem = failure(saved); });
    QVERIFY(QTest::qWaitFor([&] { return problem != "none"; }, kWait));
    QCOMPARE(problem, std::string());
    QVERIFY(std::filesystem::exists(file().string() + ".saved"));
}

void TestSessionDoor::tellsWhenSomebodyElseWrites()
{
    SessionDoor door;
    open(door);
    QSignalSpy changed(&door, &SessionDoor::changed);
    bool kept = false;
    door.write<void>(this, app::keepUiState("window", "ours"), [&kept](const Result<void>&) { kept = true; });
    QVERIFY(QTest::qWaitFor([&] { return kept; }, kWait));
    auto other = sessions::SessionStore::open(file());
    VERIFY_OK(other);
    QVERIFY(changed.isEmpty()); // our own writing is no news
    VERIFY_OK(other->setUiState("window", "theirs"));
    QVERIFY(changed.wait(kWait));
}

void TestSessionDoor::keepsTheModelBeforeWhatNamesIt()
{
    SessionDoor door;
    open(door);
    const sessions::ModelRecord model = exampleModel("never scored");
    std::vector<std::string> problems;
    const auto ended = [&problems](const Result<void>& kept) { problems.push_back(failure(kept)); };
    door.write<void>(this, app::keepRun(model, {.uid = "ours", .name = "kept", .modelHash = model.hash}), ended);
    door.write<void>(this, app::keepStep(model, {.label = "all on", .modelHash = model.hash}), ended);
    QVERIFY(QTest::qWaitFor([&] { return problems.size() == 2; }, kWait));
    QCOMPARE(problems, (std::vector<std::string>{{}, {}}));
    std::optional<app::StoredRuns> runs;
    door.ask<app::StoredRuns>(this, app::storedRuns(),
                              [&runs](const Result<app::StoredRuns>& stored) { runs = *stored; });
    QVERIFY(QTest::qWaitFor([&] { return runs.has_value(); }, kWait));
    QVERIFY(std::ranges::any_of(runs->runs, [](const auto& run) { return run.uid == "ours"; }));
}

void TestSessionDoor::knowsWhatWasAskedForByHand()
{
    SessionDoor door;
    open(door);
    std::optional<app::StoredRuns> runs;
    door.ask<app::StoredRuns>(this, app::storedRuns(),
                              [&runs](const Result<app::StoredRuns>& stored) { runs = *stored; });
    QVERIFY(QTest::qWaitFor([&] { return runs.has_value(); }, kWait));
    QCOMPARE(runs->runs.size(), 1U);
    QCOMPARE(runs->states.size(), 2U);
    QCOMPARE(runs->states[1].ablation, std::string("L2H5"));
    QCOMPARE(runs->states[1].scores.size(), 1U);
    QCOMPARE(runs->states[1].scores[0].accuracy, 0.25);
    QCOMPARE(runs->asked.size(), 1U);
    QVERIFY(!runs->asked.at(app::stateKey(exampleModel().hash, "L2H5")).empty());
}

// A file that a state names was written anew: only the inputs of the series differ.
void TestSessionDoor::aScoreThatWasMeasuredAgainReplacesTheFirst()
{
    SessionDoor door;
    open(door);
    auto other = sessions::SessionStore::open(file());
    VERIFY_OK(other);
    sessions::SeriesKey key = series("steer:L1*8=v.safetensors[vector]");
    for (const auto& [inputs, right] : {std::pair("over=b", true), std::pair("over=a", false)}) {
        key.inputs = inputs;
        VERIFY_OK(other->putResults(key, std::vector{resultFor(examples(1).front(), right)}));
    }
    std::optional<app::StoredRuns> runs;
    door.ask<app::StoredRuns>(this, app::storedRuns(),
                              [&runs](const Result<app::StoredRuns>& stored) { runs = *stored; });
    QVERIFY(QTest::qWaitFor([&] { return runs.has_value(); }, kWait));
    const auto state = std::ranges::find(runs->states, key.ablation, &app::StateScores::ablation);
    QVERIFY(state != runs->states.end());
    QCOMPARE(state->scores.size(), 1U);
    QCOMPARE(state->scores[0].accuracy, 0.0);
}

QTEST_GUILESS_MAIN(TestSessionDoor)
#include "tst_sessiondoor.moc"
