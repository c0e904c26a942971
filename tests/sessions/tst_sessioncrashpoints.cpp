// SPDX-License-Identifier: GPL-3.0-or-later
// Every write, sync, truncation and deletion of what is done to a session, with the process ended there, held there
// while another one writes, the power lost or the disk full: SQLite alone finds a sound file with all that was reported
// as stored, and so does this program, without a word. By default every 7th point, each kind of fault beginning at
// another one; HEADSCOPE_CRASH_STRIDE=1 takes all of them (some 2,900).
#include "sessions/file/maintenance.h"
#include "sessions/merge.h"
#include "tests/support/crashvfs.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace {

/// What one program does, step by step; each step is reported when it is done.
struct Work {
    fs::path folder;
    std::optional<SessionStore> session;
    [[nodiscard]] std::string path(const char* name = "a.session") const { return (folder / name).string(); }
};
using Step = std::function<Result<void>(Work&)>;

struct Operation {
    const char* name;
    std::function<std::string(const Work&)> prepare; ///< makes the files; says what went wrong
    std::vector<Step> steps;
};

Result<void> open(Work& work)
{
    auto opened = SessionStore::open(work.path(), {.busyTimeoutMs = 20000});
    if (!opened.has_value())
        return opened.error();
    work.session.emplace(std::move(*opened));
    return {};
}

Result<void> close(Work& work)
{
    work.session.reset();
    return {};
}

Result<void> ask(Work& work, int row)
{
    const auto example = exampleAt(row);
    return work.session->putExamples(std::span(&example, 1));
}

Result<void> score(Work& work, int row)
{
    return work.session->putResults(series("L0H1"), std::vector{resultFor(exampleAt(row), true)});
}

Result<void> rank(Work& work)
{
    RankingRecord ranking;
    ranking.modelHash = exampleModel().hash;
    ranking.dtype = "fp32";
    ranking.task = "toy_kv:pairs=16";
    ranking.method = "exact";
    for (int head = 0; head < 8; ++head)
        ranking.heads.push_back({"L1H" + std::to_string(head), 0.1 * head, -0.5, -0.6, -0.4});
    const auto added = work.session->addRanking(ranking);
    return added.has_value() ? Result<void>() : added.error();
}

Result<void> mergeOther(Work& work)
{
    auto other = SessionStore::open(work.path("other.session"), {.readOnly = true});
    if (!other.has_value())
        return other.error();
    const auto merged = merge(*work.session, *other);
    return merged.has_value() ? Result<void>() : merged.error();
}

std::string twoSessions(const Work& work)
{
    auto other = SessionStore::open(work.path("other.session"));
    if (!other.has_value())
        return other.error().message;
    const auto example = exampleAt(500, "other task");
    for (const auto& done : {other->putModel(exampleModel()), other->putExamples(std::span(&example, 1)),
                             other->putResults(series("L1H1"), std::vector{resultFor(example, false)})})
        if (!done.has_value())
            return done.error().message;
    return fillFile(work.path());
}

std::string withFreePages(const Work& work)
{
    if (const std::string problem = fillFile(work.path()); !problem.empty())
        return problem;
    auto session = SessionStore::open(work.path());
    for (const std::string& value : {std::string(40'000, 'x'), std::string("small")})
        if (const auto set = session->setUiState("large", value); !set.has_value())
            return set.error().message;
    return {};
}

std::string earlierSchema(const Work& work)
{
    fs::copy_file(HEADSCOPE_SOURCE_DIR "/tests/data/sessions/schema7.session", work.path());
    return {};
}

const std::vector<Operation>& operations()
{
    const auto filled = [](const Work& work) { return fillFile(work.path()); };
    const auto asks = [](Work& work) { return ask(work, 100); };
    const auto scores = [](Work& work) { return score(work, 100); };
    const auto scoresMore = [](Work& work) { return score(work, 3); };
    static const std::vector<Operation> all{
        {"create", [](const Work&) { return std::string(); }, {open, close}},
        {"score", filled, {open, asks, scores, scoresMore, close}},
        {"rank", filled, {open, rank, close}},
        {"merge", twoSessions, {open, mergeOther, close}},
        {"upgrade", earlierSchema, {open, close}},
        {"duplicate",
         filled,
         {open, [](Work& work) { return duplicate(*work.session, work.path("copy.session")); }, close}},
        {"compact",
         withFreePages,
         {open,
          [](Work& work) -> Result<void> {
              const auto done = compact(*work.session);
              return done.has_value() ? Result<void>() : done.error();
          },
          close}},
    };
    return all;
}

/// What a session holds, read by SQLite alone: all tables but for times, uids and what the other writer left. Begins
/// with what was found wrong, if anything was.
std::string contentOf(const fs::path& path)
{
    SQLite::Database db(path.string(), SQLite::OPEN_READWRITE);
    std::string text;
    if (const std::string sound = db.execAndGet("PRAGMA integrity_check").getString(); sound != "ok")
        return "damaged: " + sound;
    std::vector<std::string> tables;
    SQLite::Statement names(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'session_info' "
                                "ORDER BY name");
    while (names.executeStep())
        tables.push_back(names.getColumn(0).getString());
    for (const std::string& table : tables) {
        std::set<std::string> rows;
        SQLite::Statement query(db, "SELECT * FROM " + table);
        while (query.executeStep()) {
            std::string row;
            for (int i = 0; i < query.getColumnCount(); ++i)
                if (const std::string name = query.getColumnName(i); name != "created" && name != "uid")
                    row += query.getColumn(i).getString() + "|";
            if (!(table == "ui_state" && row.starts_with("other writer")))
                rows.insert(row);
        }
        text += table + "\n";
        for (const std::string& row : rows)
            text += row + "\n";
    }
    return text;
}

/// The same of a copy of the file and all that is beside it, so that the original is not touched.
std::string contentOfCopy(const Work& work, const fs::path& folder)
{
    fs::remove_all(folder);
    fs::create_directory(folder);
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        if (fs::exists(work.path() + suffix))
            fs::copy_file(work.path() + suffix, (folder / "a.session").string() + suffix);
    return fs::exists(folder / "a.session") ? contentOf(folder / "a.session") : std::string();
}

/// What the disk holds after each step of an undisturbed run; the first is what it held before.
std::vector<std::string> statesOf(const Operation& operation, Work& work, const fs::path& scratch)
{
    std::vector<std::string> states{contentOfCopy(work, scratch)};
    for (const Step& step : operation.steps) {
        if (const auto done = step(work); !done.has_value())
            qFatal("%s", done.error().message.c_str());
        states.push_back(contentOfCopy(work, scratch));
    }
    return states;
}

/// A forked process that does the operation with a fault; says each step that is done, and "?" where it waits.
class Child
{
public:
    Child(const Operation& operation, const fs::path& folder, Fault fault, int at)
    {
        if (pipe(m_says) != 0 || pipe(m_hears) != 0)
            qFatal("no pipe");
        m_pid = fork();
        if (m_pid == 0) {
            ::close(m_hears[1]);
            const auto say = [this](char c) {
                if (::write(m_says[1], &c, 1) != 1)
                    _exit(3);
            };
            CrashVfs::install(fault, at, [&] {
                char answer = 0;
                say('?');
                if (::read(m_hears[0], &answer, 1) != 1)
                    _exit(CrashVfs::kEnded);
            });
            Work work{folder, {}};
            for (const Step& step : operation.steps) {
                if (const auto done = step(work); !done.has_value()) {
                    if (fault != Fault::Full)
                        std::fprintf(stderr, "%s\n", done.error().message.c_str());
                    work.session.reset();
                    _exit(2);
                }
                say('.');
            }
            _exit(CrashVfs::operations() >= at ? 0 : 4);
        }
        ::close(m_says[1]);
        ::close(m_hears[0]);
    }
    ~Child()
    {
        ::close(m_says[0]);
        ::close(m_hears[1]);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Until it waits (true) or has ended.
    bool listen()
    {
        for (char c = 0; ::read(m_says[0], &c, 1) == 1;) {
            if (c == '?')
                return true;
            ++m_done;
        }
        int status = 0;
        waitpid(m_pid, &status, 0);
        m_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return false;
    }
    void goOn()
    {
        if (::write(m_hears[1], "!", 1) != 1)
            qFatal("the child is gone");
    }
    void kill() { ::kill(m_pid, SIGKILL); }
    [[nodiscard]] std::size_t done() const { return m_done; }
    [[nodiscard]] int code() const { return m_code; }

private:
    int m_says[2], m_hears[2];
    pid_t m_pid = 0;
    std::size_t m_done = 0;
    int m_code = -1;
};

int stride()
{
    constexpr int kStride = 7; // odd: what depends on the parity of a point is met both ways
    const int wanted = qEnvironmentVariableIntValue("HEADSCOPE_CRASH_STRIDE");
    return wanted > 0 ? wanted : kStride;
}

/// In memory where that is possible: nothing here depends on what a sync does, only on when it is asked for.
QString folderPattern()
{
    const QString memory = u"/dev/shm"_s;
    return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) + u"/tst_sessioncrashpoints-XXXXXX"_s;
}

} // namespace

class TestSessionCrashPoints : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(folderPattern()); }
    void nothingReportedIsLost_data();
    void nothingReportedIsLost();

private:
    /// The other writer, while the first one is held: stores a value of its own, or says that it has to wait.
    void writeBeside(const Work& work);
    void check(const Operation& operation, const Work& work, std::size_t done);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::vector<std::string> m_states;
    bool m_besideStored = false;
    std::optional<SessionStore> m_beside;
};

void TestSessionCrashPoints::nothingReportedIsLost_data()
{
    QTest::addColumn<int>("operation");
    QTest::addColumn<int>("fault");
    QTest::addColumn<bool>("goesOn");
    const auto row = [](int operation, const char* fault, Fault kind, bool goesOn = false) {
        QTest::addRow("%s, %s", operations()[static_cast<std::size_t>(operation)].name, fault)
            << operation << static_cast<int>(kind) << goesOn;
    };
    for (int i = 0; i < static_cast<int>(operations().size()); ++i) {
        row(i, "killed", Fault::Kill);
        row(i, "held beside another writer, then killed", Fault::Pause);
        row(i, "held beside another writer, then going on", Fault::Pause, true);
        row(i, "power lost", Fault::Power);
        row(i, "disk full", Fault::Full);
    }
}

void TestSessionCrashPoints::nothingReportedIsLost()
{
    QFETCH(int, operation);
    QFETCH(int, fault);
    QFETCH(bool, goesOn);
    const Operation& what = operations()[static_cast<std::size_t>(operation)];
    const fs::path root = m_folder->path().toStdString();
    Work first{root / "first", {}};
    fs::create_directory(first.folder);
    QCOMPARE(what.prepare(first), std::string());
    fs::copy(first.folder, root / "prepared");
    m_states = statesOf(what, first, root / "scratch");
    int points = 0, waited = 0;
    bool more = true;
    for (int at = 1 + fault % stride(); more; at += stride()) {
        Work work{root / "work", {}};
        fs::remove_all(work.folder);
        fs::copy(root / "prepared", work.folder);
        m_besideStored = false;
        Child child(what, work.folder, Fault{fault}, at);
        if (child.listen()) {
            writeBeside(work);
            waited += m_besideStored ? 0 : 1;
            if (at % 2 == 0)
                m_beside.reset();
            goesOn ? child.goOn() : child.kill();
            child.listen();
            m_beside.reset();
        }
        // Once there are fewer operations than that the fault does not happen any more.
        more = child.code() != 4;
        points += more ? 1 : 0;
        const bool ended = fault == static_cast<int>(Fault::Kill) || fault == static_cast<int>(Fault::Power);
        const bool full = fault == static_cast<int>(Fault::Full);
        if (more)
            QVERIFY2(child.code()
                             == (ended                                                ? CrashVfs::kEnded
                                 : fault == static_cast<int>(Fault::Pause) && !goesOn ? -SIGKILL
                                                                                      : 0)
                         || (full && child.code() == 2),
                     qPrintable(u"at %1: exit code %2"_s.arg(at).arg(child.code())));
        check(what, work, child.done());
        if (QTest::currentTestFailed()) {
            qWarning("at operation %d of %s, %zu steps done", at, what.name, child.done());
            return;
        }
    }
    QVERIFY(points > 3 / stride());
    qInfo("%-40s %4d points%s", QTest::currentDataTag(), points,
          fault == static_cast<int>(Fault::Pause)
              ? qPrintable(u", the other writer stored at %1"_s.arg(points - waited))
              : "");
}

void TestSessionCrashPoints::writeBeside(const Work& work)
{
    auto beside = SessionStore::open(work.path(), {.busyTimeoutMs = 0});
    Result<void> stored;
    if (beside.has_value()) {
        m_beside.emplace(std::move(*beside));
        stored = m_beside->setUiState("other writer", "stored");
    } else {
        stored = beside.error();
    }
    m_besideStored = stored.has_value();
    if (!m_besideStored)
        QVERIFY2(stored.error().message.find("is being written by another program") != std::string::npos,
                 stored.error().message.c_str());
}

void TestSessionCrashPoints::check(const Operation& operation, const Work& work, std::size_t done)
{
    const auto known = [&](const std::string& content) {
        return std::find(m_states.begin() + static_cast<std::ptrdiff_t>(done), m_states.end(), content)
               != m_states.end();
    };
    const std::string alone = contentOfCopy(work, work.folder.parent_path() / "scratch");
    QVERIFY2(known(alone) || alone.empty(), alone.substr(0, 2000).c_str());
    QVERIFY(!alone.empty() || m_states[done].empty());
    auto opened = SessionStore::open(work.path());
    VERIFY_OK(opened);
    for (const std::string& notice : opened->notices())
        QVERIFY2(notice.find("was upgraded") != std::string::npos, notice.c_str());
    QCOMPARE(verify(*opened)->problems, std::vector<std::string>());
    const std::string ours = contentOf(work.path());
    QVERIFY2(known(ours), ours.substr(0, 2000).c_str());
    QCOMPARE(opened->uiState("other writer").value().has_value(), m_besideStored);
    if (operation.name == std::string("duplicate") && (done > 1 || fs::exists(work.path("copy.session")))) {
        auto copy = SessionStore::open(work.path("copy.session"), {.create = false});
        VERIFY_OK(copy);
        QCOMPARE(verify(*copy)->problems, std::vector<std::string>());
        QCOMPARE(contentOf(work.path("copy.session")), m_states.back());
        QVERIFY(copy->uid().value() != opened->uid().value());
    }
}

QTEST_GUILESS_MAIN(TestSessionCrashPoints)
#include "tst_sessioncrashpoints.moc"
