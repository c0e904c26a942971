// SPDX-License-Identifier: GPL-3.0-or-later
// Work that processes share through a session: whoever is killed, stopped or late, and whatever the clock of day says,
// every chunk is done, no result is lost and everybody ends well. HEADSCOPE_KILLS says how many processes are killed.
#include "sessions/claims.h"
#include "sessions/file/connection.h"
#include "sessions/file/maintenance.h"
#include "sessions/merge.h"
#include "sessions/results/chunkresults.h"
#include "sessions/results/resultwriter.h"
#include "tests/support/crashvfs.h"
#include "tests/support/sessionfixture.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include <SQLiteCpp/Statement.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;
using namespace std::chrono_literals;

namespace {

std::atomic<bool> jumping = false; // of this process: the clock of day is set back and forth

constexpr int kChunks = 40, kTogether = 5;

std::vector<WorkChunk> workChunks()
{
    std::vector<WorkChunk> chunks;
    for (int chunk = 0; chunk < kChunks; ++chunk)
        chunks.push_back({chunk, chunk / kTogether, false});
    return chunks;
}

struct WorkerOptions {
    std::chrono::milliseconds lease = 30s;
    std::chrono::milliseconds most{3}; ///< that a chunk takes
    int stopAt = -1;                   ///< the process stops itself in the chunk that is its so many-th
    OpenOptions open{.busyTimeoutMs = 60000};
};

/// Takes part until all is done. How many chunks it ran.
Result<int> takePart(const std::string& path, unsigned seed, const WorkerOptions& options = {})
{
    auto session = SessionStore::open(path, options.open);
    if (!session.has_value())
        return session.error();
    std::mt19937 random(seed);
    Claims claims(*session, "work", options.lease);
    ResultWriter results(*session);
    if (const auto offered = claims.offer(workChunks()); !offered.has_value())
        return offered.error();
    for (int ran = 0;;) {
        const auto turn = claims.next(results);
        if (!turn.has_value())
            return turn.error();
        if (turn->done == turn->total)
            return ran;
        if (!turn->chunk) {
            std::this_thread::sleep_for(2ms);
            continue;
        }
        std::this_thread::sleep_for(options.most * static_cast<int>(random() % 1000) / 1000);
        if (ran == options.stopAt)
            raise(SIGSTOP);
        const auto added = results.add(series(), resultFor(exampleAt(*turn->chunk), *turn->chunk % 3 != 0));
        if (!added.has_value())
            return added.error();
        ++ran;
    }
}

/// What goes wrong in a process: its wall clock jumps, or its disk fails at the n-th write.
struct Trouble {
    bool clockJumps = false;
    std::optional<Fault> fault;
    int at = 0;
};

/// A process of its own: this program anew, with other arguments. Not a fork that goes on: sanitizers follow none from
/// beside another thread, and the test library has one.
class Child
{
public:
    explicit Child(const std::vector<std::string>& arguments)
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            qFatal("no pipe");
        std::vector<char*> argv{const_cast<char*>("tst_sessionclaims")};
        for (const std::string& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        m_pid = fork();
        if (m_pid == 0) {
            dup2(ends[1], STDOUT_FILENO); // which the child closes when it begins
            execv("/proc/self/exe", argv.data());
            _exit(127);
        }
        close(ends[1]);
        m_output = ends[0];
    }
    /// Takes part; its exit code is 0 where that ended well.
    Child(const std::string& path, unsigned seed, const WorkerOptions& options = {}, const Trouble& trouble = {})
        : Child({"--part", path, std::to_string(seed), std::to_string(options.lease.count()),
                 std::to_string(options.most.count()), std::to_string(options.stopAt),
                 std::to_string(trouble.clockJumps),
                 std::to_string(trouble.fault ? static_cast<int>(*trouble.fault) : -1), std::to_string(trouble.at)})
    {
    }
    Child(Child&& other) noexcept { swap(other); }
    Child& operator=(Child&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~Child()
    {
        if (m_pid > 0) {
            signal(SIGKILL);
            exitCode();
        }
        if (m_output >= 0)
            close(m_output);
    }

    /// Returns when the process has started, or ended.
    void waitForStart() const
    {
        char nothing = 0;
        static_cast<void>(read(m_output, &nothing, 1));
    }
    void signal(int number) const { kill(m_pid, number); }
    [[nodiscard]] bool waitUntilStopped() const
    {
        int status = 0;
        return waitpid(m_pid, &status, WUNTRACED) == m_pid && WIFSTOPPED(status);
    }
    /// -1: a signal ended it.
    int exitCode()
    {
        int status = 0;
        const pid_t child = std::exchange(m_pid, 0);
        return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    void swap(Child& other)
    {
        std::swap(m_pid, other.m_pid);
        std::swap(m_output, other.m_output);
    }
    pid_t m_pid = 0;
    int m_output = -1;
};

int partInChild(char** argument)
{
    const auto number = [&] { return std::stoi(*++argument); };
    const std::string path = *++argument;
    const auto seed = static_cast<unsigned>(std::stoul(*++argument));
    WorkerOptions options;
    options.lease = std::chrono::milliseconds(number());
    options.most = std::chrono::milliseconds(number());
    options.stopAt = number();
    jumping = number() != 0;
    if (const int fault = number(); fault >= 0)
        CrashVfs::install(static_cast<Fault>(fault), number());
    close(STDOUT_FILENO);
    return takePart(path, seed, options).has_value() ? 0 : 1;
}

/// Ends with a chunk claimed.
[[noreturn]] void claimInChild(const std::string& path)
{
    auto session = SessionStore::open(path);
    ResultWriter results(*session);
    Claims claims(*session, "other");
    static_cast<void>(claims.offer(workChunks()));
    _exit(claims.next(results)->chunk == 0 ? 0 : 1);
}

} // namespace

// In place of the C library's, for all that this program calls.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept
{
    const auto status = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    static thread_local std::mt19937 random(1);
    if (jumping && status == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += static_cast<int>(random() % 20000) - 10000;
    return status;
}

class TestSessionClaims : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void processesShareAllChunks();
    void aProcessKeepsToItsPortion();
    void whatIsKnownIsNotOffered();
    void killedAtAnyMomentNothingIsLost();
    void killedAtEveryWriteNothingIsLost();
    void aStoppedProcessIsWaitedForAsLongAsItsLease();
    void aProcessThatLivesKeepsItsChunk();
    void processesElsewhereAreBelievedForALease();
    void theClockOfDayDoesNotMatter();
    void aFullDiskLosesNothing();
    void whatAChunkFoundIsStoredWithItsEnd();
    void changedChunksAreFound();
    void mergingAddsChunks();
    void whoWaitsDoesNotWrite();
    void finishedWorkIsForgotten();

private:
    [[nodiscard]] SessionStore open() const
    {
        auto session = SessionStore::open(m_path);
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        return std::move(*session);
    }
    /// Every result is there, as one process would have stored it, and nobody has anything.
    void verifyAllDone() const
    {
        SessionStore session = open();
        const auto results = session.results(series());
        VERIFY_OK(results);
        QCOMPARE(results->size(), std::size_t{kChunks});
        for (const ResultRecord& result : *results) {
            const int row = exampleOf(session, result.exampleHash);
            QVERIFY(result == resultFor(exampleAt(row), row % 3 != 0));
        }
        SQLite::Database& db = session.connection().db();
        QCOMPARE(db.execAndGet("SELECT count(*) FROM claims WHERE done = 1 AND owner = ''").getInt(), kChunks);
        QCOMPARE(verify(session)->problems, std::vector<std::string>());
    }
    static int exampleOf(SessionStore& session, const std::string& hash) { return (*session.example(hash))->row; }
    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_path;
};

void TestSessionClaims::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("s.headscope")).toStdString();
    SessionStore session = open();
    VERIFY_OK(session.putModel(exampleModel()));
    VERIFY_OK(session.putExamples(examples(kChunks)));
}

void TestSessionClaims::processesShareAllChunks()
{
    std::vector<Child> children;
    for (unsigned seed = 0; seed < 4; ++seed)
        children.emplace_back(m_path, seed);
    for (Child& child : children)
        QCOMPARE(child.exitCode(), 0);
    verifyAllDone();
    QCOMPARE(*takePart(m_path, 9), 0); // who comes late finds nothing to do, and ends well
}

void TestSessionClaims::aProcessKeepsToItsPortion()
{
    SessionStore session = open(), other = open();
    ResultWriter results(session), theirs(other);
    Claims first(session, "work"), second(other, "work");
    VERIFY_OK(first.offer(workChunks()));
    VERIFY_OK(second.offer(workChunks()));
    QCOMPARE(first.next(results)->chunk, std::optional(0));
    QCOMPARE(second.next(theirs)->chunk, std::optional(kTogether)); // of a portion that nobody has begun
    for (int chunk = 1; chunk < kTogether; ++chunk)
        QCOMPARE(first.next(results)->chunk, std::optional(chunk));
    QCOMPARE(first.next(results)->chunk, std::optional(2 * kTogether));
    QCOMPARE(second.next(theirs)->chunk, std::optional(kTogether + 1));
}

void TestSessionClaims::whatIsKnownIsNotOffered()
{
    SessionStore session = open();
    ResultWriter results(session);
    std::vector<WorkChunk> chunks = workChunks();
    for (WorkChunk& chunk : chunks)
        chunk.done = chunk.number != 7;
    Claims claims(session, "work");
    VERIFY_OK(claims.offer(workChunks())); // somebody who knew nothing was here before
    VERIFY_OK(claims.offer(chunks));
    const auto turn = claims.next(results);
    VERIFY_OK(turn);
    QCOMPARE(turn->chunk, std::optional(7));
    QCOMPARE(turn->done, kChunks - 1);
}

void TestSessionClaims::killedAtAnyMomentNothingIsLost()
{
    const int kills = std::max(qEnvironmentVariableIntValue("HEADSCOPE_KILLS"), 12);
    std::mt19937 random(20261128);
    // Some are killed with every work: the others go on at once, and who comes in a killed one's place joins late.
    for (int killed = 0, round = 0; killed < kills; ++round) {
        init();
        std::vector<Child> children;
        for (unsigned i = 0; i < 3; ++i)
            children.emplace_back(m_path, static_cast<unsigned>(random()));
        for (const Child& child : children)
            child.waitForStart();
        for (int i = 0; i < 4; ++i, ++killed) {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 40000));
            Child& victim = children[random() % children.size()];
            victim.signal(SIGKILL);
            victim.exitCode();
            victim = Child(m_path, static_cast<unsigned>(random()));
        }
        for (Child& child : children)
            QCOMPARE(child.exitCode(), 0);
        verifyAllDone();
    }
}

void TestSessionClaims::killedAtEveryWriteNothingIsLost()
{
    // Far enough for the offer, some claims and a log that grows; the write at which it ends is another each time.
    for (int at = 1; at < 120; at += 3) {
        init();
        const int ended = Child(m_path, 1, {.most = 0ms}, {.fault = Fault::Kill, .at = at}).exitCode();
        QVERIFY2(ended == CrashVfs::kEnded || ended == 0, qPrintable(QString::number(ended)));
        QVERIFY(takePart(m_path, 2, {.most = 0ms}).has_value());
        verifyAllDone();
    }
}

void TestSessionClaims::aStoppedProcessIsWaitedForAsLongAsItsLease()
{
    const WorkerOptions brief{.lease = 300ms};
    Child child(m_path, 1, {.lease = 300ms, .stopAt = 3});
    QVERIFY(child.waitUntilStopped());
    const auto ran = takePart(m_path, 2, brief);
    VERIFY_OK(ran);
    verifyAllDone();
    child.signal(SIGCONT); // its result is there already, and the same
    QCOMPARE(child.exitCode(), 0);
    verifyAllDone();
}

void TestSessionClaims::aProcessThatLivesKeepsItsChunk()
{
    SessionStore session = open(), other = open();
    ResultWriter results(session), theirs(other);
    Claims first(session, "work", 300ms), second(other, "work", 300ms);
    const std::vector<WorkChunk> one{{0, 0, false}};
    VERIFY_OK(first.offer(one));
    VERIFY_OK(second.offer(one));
    QCOMPARE(first.next(results)->chunk, std::optional(0));
    const auto begun = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begun < 1500ms) {
        const auto turn = second.next(theirs);
        VERIFY_OK(turn);
        QVERIFY(!turn->chunk);
        QCOMPARE(turn->others.size(), std::size_t{1});
        QCOMPARE(turn->here, 1);
        QVERIFY(turn->others[0].starts_with("process " + std::to_string(getpid()) + " on "));
        std::this_thread::sleep_for(20ms);
    }
    QCOMPARE(first.next(results)->done, 1);
    QCOMPARE(second.next(theirs)->done, 1);
}

// Of another machine, of this one before it was started again, or nonsense: nobody can say whether they live.
void TestSessionClaims::processesElsewhereAreBelievedForALease()
{
    for (const std::string& owner :
         {std::string("1 elsewhere 0123pid:[1] 99 1"), std::string("nonsense"), std::string(200, ' ')}) {
        init();
        SessionStore session = open();
        ResultWriter results(session);
        Claims claims(session, "work", 300ms);
        const std::vector<WorkChunk> one{{0, 0, false}};
        VERIFY_OK(claims.offer(one));
        VERIFY_OK(session.connection().write([&](SQLite::Database& db) {
            SQLite::Statement claim(db, "UPDATE claims SET owner = ?");
            claim.bind(1, owner);
            claim.exec();
        }));
        const auto begun = std::chrono::steady_clock::now();
        const auto turn = claims.next(results);
        QVERIFY(!turn->chunk);
        QCOMPARE(turn->here, 0); // it uses no processor of this machine
        while (!claims.next(results)->chunk)
            std::this_thread::sleep_for(10ms);
        QVERIFY(std::chrono::steady_clock::now() - begun >= 300ms);
    }
    // One of this machine that has ended is not waited for.
    QCOMPARE(Child({"--claim", m_path}).exitCode(), 0);
    SessionStore session = open();
    ResultWriter results(session);
    Claims claims(session, "other");
    QCOMPARE(claims.next(results)->chunk, std::optional(0));
}

void TestSessionClaims::theClockOfDayDoesNotMatter()
{
    const WorkerOptions brief{.lease = 1s, .most = 10ms};
    std::vector<Child> children;
    for (unsigned seed = 0; seed < 3; ++seed)
        children.emplace_back(m_path, seed, brief, Trouble{.clockJumps = true});
    for (Child& child : children)
        QCOMPARE(child.exitCode(), 0);
    verifyAllDone();
}

void TestSessionClaims::aFullDiskLosesNothing()
{
    int failed = 0;
    for (int at = 20; at < 60; at += 10) { // of both, in the middle of the work

        init();
        std::vector<Child> children;
        for (unsigned seed = 0; seed < 2; ++seed)
            children.emplace_back(m_path, seed, WorkerOptions(), Trouble{.fault = Fault::Full, .at = at});
        for (Child& child : children) {
            const int code = child.exitCode();
            QVERIFY(code == 0 || code == 1); // not by a signal
            failed += code;
        }
        VERIFY_OK(takePart(m_path, 3));
        verifyAllDone();
    }
    QVERIFY(failed >= 4);
}

void TestSessionClaims::whatAChunkFoundIsStoredWithItsEnd()
{
    const std::string large(std::size_t{40} << 20, 'x'); // more than a value may be
    {
        SessionStore session = open();
        ResultWriter results(session);
        Claims claims(session, "work");
        VERIFY_OK(claims.offer(workChunks()));
        QCOMPARE(claims.next(results)->chunk, std::optional(0));
        QVERIFY(storedChunks(session, "work")->empty());
        QCOMPARE(claims.next(results, large)->chunk, std::optional(1));
        QCOMPARE(claims.next(results, std::string())->chunk, std::optional(2));
    } // the third is given back
    SessionStore session = open();
    QCOMPARE(*storedChunks(session, "work"), (std::vector{0, 1}));
    QVERIFY(*chunkResults(session, "work", {0, 1, 2}) == (std::map<int, std::string>{{0, large}, {1, {}}}));
    QVERIFY(chunkResults(session, "other", {0})->empty());
    VERIFY_OK(putChunk(session, "work", 0, "another")); // what is stored stays
    QVERIFY(chunkResults(session, "work", {0})->at(0) == large);
    QCOMPARE(verify(session)->problems, std::vector<std::string>());
    VERIFY_OK(forgetChunks(session, "work", 1));
    QCOMPARE(*storedChunks(session, "work"), std::vector{1});
}

void TestSessionClaims::changedChunksAreFound()
{
    for (const char* change : {"UPDATE chunks SET data = x'00' WHERE slice = 1", "DELETE FROM chunks WHERE slice = 2",
                               "UPDATE chunks SET chunk = 8 WHERE slice = 0"}) {
        init();
        SessionStore session = open();
        VERIFY_OK(putChunk(session, "work", 7, std::string(std::size_t{40} << 20, 'x')));
        session.connection().db().exec(change);
        const auto found = chunkResults(session, "work", {7, 8});
        QVERIFY(!found.has_value()
                && found.error().message.find("was changed after it was stored") != std::string::npos);
        QVERIFY(!verify(session)->problems.empty());
    }
}

void TestSessionClaims::mergingAddsChunks()
{
    SessionStore session = open();
    auto other = SessionStore::open(m_folder->filePath(QStringLiteral("other.headscope")).toStdString());
    VERIFY_OK(other);
    VERIFY_OK(putChunk(session, "work", 0, "zero"));
    VERIFY_OK(putChunk(session, "work", 1, "one"));
    VERIFY_OK(putChunk(*other, "work", 1, "different"));
    VERIFY_OK(putChunk(*other, "work", 2, "two"));
    for (int times = 0; times < 2; ++times) {
        const auto merged = merge(session, *other);
        VERIFY_OK(merged);
        QCOMPARE(merged->conflicts, times == 0 ? 1 : 0);
        QVERIFY(*chunkResults(session, "work", {0, 1, 2})
                == (std::map<int, std::string>{{0, "zero"}, {1, "one"}, {2, "two"}}));
    }
}

void TestSessionClaims::whoWaitsDoesNotWrite()
{
    SessionStore session = open(), other = open();
    ResultWriter results(session), theirs(other);
    Claims first(session, "work"), second(other, "work");
    const std::vector<WorkChunk> one{{0, 0, false}};
    VERIFY_OK(first.offer(one));
    VERIFY_OK(second.offer(one));
    QCOMPARE(first.next(results)->chunk, std::optional(0));
    const auto before = *session.dataVersion();
    for (int i = 0; i < 5; ++i)
        QVERIFY(!second.next(theirs)->chunk);
    QCOMPARE(*session.dataVersion(), before);
}

void TestSessionClaims::finishedWorkIsForgotten()
{
    VERIFY_OK(takePart(m_path, 1));
    SessionStore session = open();
    const auto works = [&] {
        return session.connection().db().execAndGet("SELECT count(DISTINCT work) FROM claims").getInt();
    };
    {
        Claims begun(session, "begun");
        VERIFY_OK(begun.offer(workChunks()));
        QCOMPARE(works(), 1);
    }
    Claims next(session, "next");
    VERIFY_OK(next.offer(workChunks()));
    QCOMPARE(works(), 2); // what is not finished stays
}

int main(int argc, char** argv)
{
    const std::string part = argc > 2 ? argv[1] : "";
    if (part == "--part" && argc == 10)
        return partInChild(argv + 1);
    if (part == "--claim")
        claimInChild(argv[2]);
    QCoreApplication application(argc, argv);
    TestSessionClaims test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_sessionclaims.moc"
