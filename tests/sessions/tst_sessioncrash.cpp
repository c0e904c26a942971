// SPDX-License-Identifier: GPL-3.0-or-later
// Durability by doing it: writers are killed at random moments, logs are torn, two write at once. What a writer
// reported as stored must be there, everything else must be whole. HEADSCOPE_KILL_ROUNDS sets the number of kills (20).
#include "sessions/file/maintenance.h"
#include "sessions/results/resultwriter.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <sstream>

#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;

namespace {

constexpr int kExamples = 150;

void say(const std::string& line)
{
    const std::string text = line + "\n";
    if (write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        _exit(3);
}

/// The child: scores what is not done yet. Says "run HASH" before each example and "stored HASH" once it is committed.
/// With `leave` it ends without closing, so that everything stays in the log.
int scoreInChild(const std::string& path, const std::string& ablation, std::size_t rows, bool leave)
{
    auto session = SessionStore::open(path);
    const auto fail = [](const Error& error) {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        return 2;
    };
    if (!session.has_value())
        return fail(session.error());
    const auto all = examples(kExamples);
    if (const auto put = session->putModel(exampleModel()); !put.has_value())
        return fail(put.error());
    if (const auto put = session->putExamples(all); !put.has_value())
        return fail(put.error());
    const auto done = session->doneExamples(series(ablation));
    if (!done.has_value())
        return fail(done.error());
    WriterOptions options;
    options.rows = rows;
    options.interval = std::chrono::milliseconds(rows == 1 ? 0 : 2);
    options.committed = [](const SeriesKey&, std::span<const ResultRecord> stored) {
        for (const ResultRecord& result : stored)
            say("stored " + result.exampleHash);
    };
    ResultWriter writer(*session, options);
    for (const ExampleRecord& example : all) {
        if (done->contains(example.hash))
            continue;
        say("run " + example.hash);
        if (const auto added = writer.add(series(ablation), resultFor(example, true)); !added.has_value())
            return fail(added.error());
    }
    if (const auto flushed = writer.flush(); !flushed.has_value())
        return fail(flushed.error());
    if (leave)
        _exit(0);
    return 0;
}

class Child
{
public:
    explicit Child(const std::vector<std::string>& arguments)
    {
        int ends[2];
        if (pipe(ends) != 0)
            qFatal("no pipe");
        m_pid = fork();
        if (m_pid == 0) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            std::vector<char*> argv{const_cast<char*>("tst_sessioncrash"), const_cast<char*>("--score")};
            for (const std::string& argument : arguments)
                argv.push_back(const_cast<char*>(argument.c_str()));
            argv.push_back(nullptr);
            execv("/proc/self/exe", argv.data());
            _exit(127);
        }
        close(ends[1]);
        m_output = ends[0];
    }
    ~Child()
    {
        if (m_pid > 0)
            finish();
        close(m_output);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Listens until the time is up, then kills; what was said before counts.
    void killAfter(std::chrono::microseconds time)
    {
        const auto end = std::chrono::steady_clock::now() + time;
        for (;;) {
            const auto left =
                std::chrono::duration_cast<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now()).count();
            const timespec wait{static_cast<time_t>(left / 1000000000), left % 1000000000};
            pollfd poll{m_output, POLLIN, 0};
            if (left <= 0 || ppoll(&poll, 1, &wait, nullptr) == 0)
                break;
            if (!readSome())
                break;
        }
        kill(m_pid, SIGKILL);
        finish();
    }

    int finish()
    {
        while (readSome()) {
        }
        int status = 0;
        waitpid(m_pid, &status, 0);
        m_pid = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    /// The hashes after a word; a line that the kill cut short does not count.
    [[nodiscard]] std::vector<std::string> said(const std::string& word) const
    {
        std::vector<std::string> hashes;
        std::istringstream lines(m_text.substr(0, m_text.rfind('\n') + 1));
        for (std::string first, hash; lines >> first >> hash;)
            if (first == word)
                hashes.push_back(hash);
        return hashes;
    }

private:
    bool readSome()
    {
        char buffer[65536];
        const ssize_t n = read(m_output, buffer, sizeof buffer);
        if (n > 0)
            m_text.append(buffer, static_cast<std::size_t>(n));
        return n > 0;
    }
    pid_t m_pid = 0;
    int m_output = -1;
    std::string m_text;
};

} // namespace

class TestSessionCrash : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void killedWriterLosesNothingItReported();
    void tornLogGivesAPrefix_data();
    void tornLogGivesAPrefix();
    void twoWritersAndAReader();

private:
    [[nodiscard]] std::string path(const char* name) const
    {
        return m_folder->filePath(QString::fromLatin1(name)).toStdString();
    }
    void removeSession(const std::string& file) const
    {
        for (const char* part : {"", "-wal", "-shm"})
            QFile::remove(QString::fromStdString(file + part));
    }
    // Sound, and the results are those of the first examples: nobody sees a later one without the earlier ones.
    static void checkPrefix(SessionStore& session, std::size_t& count)
    {
        const auto report = verify(session);
        VERIFY_OK(report);
        QCOMPARE(report->problems, std::vector<std::string>());
        const auto results = session.results(series());
        VERIFY_OK(results);
        const auto all = examples(kExamples);
        for (std::size_t i = 0; i < results->size(); ++i)
            QVERIFY(results->at(i) == resultFor(all[i], true));
        count = results->size();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionCrash::killedWriterLosesNothingItReported()
{
    bool isNumber = false;
    const int wanted = qEnvironmentVariableIntValue("HEADSCOPE_KILL_ROUNDS", &isNumber);
    const int rounds = isNumber ? wanted : 20;
    std::mt19937 random(std::random_device{}());
    // How long an undisturbed run takes here tells from when to choose the moments.
    const auto start = std::chrono::steady_clock::now();
    Child whole({path("whole"), "", "7", ""});
    QCOMPARE(whole.finish(), 0);
    const auto length = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);

    std::size_t reported = 0;
    std::size_t kept = 0;
    int midway = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::string file = path("killed");
        removeSession(file);
        const std::string rows = std::to_string(1 + random() % 20);
        Child child({file, "", rows, ""});
        child.killAfter(std::chrono::microseconds(random() % static_cast<unsigned>(length.count())));
        const auto stored = child.said("stored");

        std::size_t count = 0;
        {
            auto session = SessionStore::open(file);
            VERIFY_OK(session);
            checkPrefix(*session, count);
            const auto done = *session->doneExamples(series());
            for (const std::string& hash : stored)
                QVERIFY2(done.contains(hash), "a result that was reported as stored is gone");
        }
        Child rest({file, "", rows, ""});
        QCOMPARE(rest.finish(), 0);
        QCOMPARE(rest.said("run").size(), kExamples - count);
        auto session = SessionStore::open(file);
        VERIFY_OK(session);
        checkPrefix(*session, count);
        QCOMPARE(count, static_cast<std::size_t>(kExamples));
        reported += stored.size();
        kept += kExamples - rest.said("run").size();
        midway += !stored.empty() && stored.size() < kExamples ? 1 : 0;
    }
    qInfo(
        "%d kills, %d of them between the first and the last commit: %zu results reported as stored, %zu found, 0 lost",
        rounds, midway, reported, kept);
    QVERIFY(kept >= reported);
}

void TestSessionCrash::tornLogGivesAPrefix_data()
{
    QTest::addColumn<bool>("truncate");
    QTest::newRow("cut short") << true;
    QTest::newRow("bytes flipped") << false;
}

void TestSessionCrash::tornLogGivesAPrefix()
{
    QFETCH(bool, truncate);
    Child child({path("whole"), "", "1", "leave"});
    QCOMPARE(child.finish(), 0);
    QCOMPARE(child.said("stored").size(), static_cast<std::size_t>(kExamples));
    QFile log(QString::fromStdString(path("whole") + "-wal"));
    QVERIFY(log.open(QIODevice::ReadOnly));
    const QByteArray whole = log.readAll();
    QVERIFY(whole.size() > 100000);

    std::mt19937 random(11);
    std::set<std::size_t> counts;
    for (int round = 0; round < 40; ++round) {
        const std::string file = path("torn");
        removeSession(file);
        QVERIFY(QFile::copy(QString::fromStdString(path("whole")), QString::fromStdString(file)));
        QByteArray torn = whole;
        const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(torn.size()));
        if (truncate)
            torn.truncate(at);
        else
            for (qsizetype i = at; i < std::min(at + 16, torn.size()); ++i)
                torn[i] = static_cast<char>(~torn[i]);
        QFile out(QString::fromStdString(file + "-wal"));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(torn);
        out.close();
        auto session = SessionStore::open(file);
        VERIFY_OK(session);
        std::size_t count = 0;
        checkPrefix(*session, count);
        counts.insert(count);
    }
    QVERIFY(counts.size() > 10);
}

void TestSessionCrash::twoWritersAndAReader()
{
    const std::string file = path("shared");
    Child first({file, "", "3", ""});
    Child second({file, "L2H5", "5", ""});
    std::size_t seen = 0;
    for (int reads = 0; reads < 20; ++reads) {
        auto reader = SessionStore::open(file);
        VERIFY_OK(reader);
        const auto done = reader->doneExamples(series());
        VERIFY_OK(done);
        QVERIFY(done->size() >= seen);
        seen = done->size();
    }
    QCOMPARE(first.finish(), 0);
    QCOMPARE(second.finish(), 0);
    auto session = SessionStore::open(file);
    VERIFY_OK(session);
    QCOMPARE(session->doneExamples(series())->size(), static_cast<std::size_t>(kExamples));
    QCOMPARE(session->doneExamples(series("L2H5"))->size(), static_cast<std::size_t>(kExamples));
    QCOMPARE(*session->exampleCount(), kExamples);
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());
}

int main(int argc, char** argv)
{
    if (argc == 6 && std::string(argv[1]) == "--score")
        return scoreInChild(argv[2], argv[3], std::stoul(argv[4]), argv[5][0] != '\0');
    QCoreApplication application(argc, argv);
    TestSessionCrash test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_sessioncrash.moc"
